// Keeps the page current while nobody types or has it open for reading a folded part.
const main = document.getElementById("main");
let shown = main.innerHTML;

async function refresh() {
  const busy = main.contains(document.activeElement) || [...main.querySelectorAll("textarea, input")].some((e) => e.value !== e.defaultValue);
  if (busy || document.hidden || String(getSelection())) return;
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok) return;
  const next = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("main").innerHTML;
  if (next === shown) return;
  const open = [...main.querySelectorAll("details")].map((e) => e.open);
  shown = next;
  main.innerHTML = next;
  [...main.querySelectorAll("details")].forEach((e, at) => { if (at in open) e.open = open[at]; });
}

setInterval(() => refresh().catch(() => {}), 2000);
