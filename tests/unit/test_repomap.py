from fakes_workspace import BASE, ScriptedWorkspace

from bot.repair.localisation import repomap
from bot.repair.localisation.reading import MAX_FILES, gather
from bot.repair.sources import treemap
from bot.repair.sources.outline import Outline
from sandbox.spec import Outcome, TestResult

SPEC = b"import { cart } from '@/shop';\ntest('adds', () => { expect(totalOf(new Cart())).toBe(3); });\n"
FILES = {
    "src/shop/cart.ts": b"export class Cart { sum() { return roundUp(this.items); } }\n",
    "src/shop/total.ts": b"export function totalOf(cart) { return cart.sum(); }\n",
    "src/shop/round.ts": b"export const roundUp = (items) => items.length;\n",
    "src/shop/far.ts": b"export function unrelated() { return 1; }\n",
    "spec/adds.test.ts": SPEC,
}
RED = TestResult("spec/adds.test.ts::adds", Outcome.FAILED)


def outlines(files: dict[str, bytes]) -> dict[str, Outline]:
    found = ((path, treemap.outline(path, data, treemap.Budget())) for path, data in files.items())
    return {path: outline for path, outline in found if outline is not None}


def test_files_rank_by_what_leads_from_the_names_to_them() -> None:
    ranked = repomap.rank(outlines(FILES), ["totalOf", "Cart", "expect"])
    assert ranked[0][0] == "src/shop/cart.ts"
    assert {path for path, _ in ranked} == {"src/shop/cart.ts", "src/shop/total.ts", "src/shop/round.ts"}
    assert abs(sum(score for _, score in ranked) - 1) < 1e-6


def test_names_that_nobody_defines_lead_nowhere() -> None:
    assert repomap.rank(outlines(FILES), ["expect", "toBe"]) == ()
    assert repomap.rank({}, ["totalOf"]) == ()


def test_a_name_that_many_files_define_says_nothing() -> None:
    many = {f"m{number}.ts": b"export function render() { return 1; }\n" for number in range(20)}
    assert repomap.rank(outlines(many), ["render"]) == ()


def test_the_order_does_not_depend_on_how_files_come() -> None:
    backwards = dict(reversed(list(FILES.items())))
    wanted = ["totalOf", "Cart"]
    assert repomap.rank(outlines(FILES), wanted) == repomap.rank(outlines(backwards), wanted)


def test_files_that_no_import_leads_to_are_found_by_the_names_that_the_test_uses() -> None:
    workspace = ScriptedWorkspace(FILES, lambda _: {})
    found = gather(workspace, BASE, workspace.paths(BASE), [RED])
    assert set(found) == {"spec/adds.test.ts", "src/shop/cart.ts", "src/shop/total.ts", "src/shop/round.ts"}


def test_what_tests_were_seen_to_call_is_read_without_a_map() -> None:
    workspace = ScriptedWorkspace(FILES, lambda _: {})
    found = gather(workspace, BASE, workspace.paths(BASE), [RED], called=("src/shop/far.ts",))
    assert set(found) == {"spec/adds.test.ts", "src/shop/far.ts"}


def test_a_map_of_many_files_stays_within_the_room_for_reading() -> None:
    many = {
        f"lib/m{number}.ts": f"export function f{number}() {{ return 1; }}\n".encode() * 90 for number in range(300)
    }
    uses = " ".join(f"f{number}();" for number in range(300))
    files = {**many, "a.test.ts": f"test('all', () => {{ {uses} }});\n".encode()}
    workspace = ScriptedWorkspace(files, lambda _: {})
    found = gather(workspace, BASE, workspace.paths(BASE), [TestResult("a.test.ts::all", Outcome.FAILED)])
    assert 1 < len(found) <= MAX_FILES
