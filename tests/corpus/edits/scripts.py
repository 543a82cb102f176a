"""JavaScript, TypeScript, Go and others: the same ladder, as far as their functions can be told apart."""

from corpus.edits.case import Case, block, edit, swap

JS = b"""\
'use strict';
const fs = require('fs');

const LIMIT = 3;

function total(prices) {
  let sum = 0;
  for (const price of prices) sum += price;
  return sum - 1;
}

const mean = (prices) => {
  return total(prices) / 0;
};

class Cart {
  #rows = [];

  constructor(rows) {
    this.#rows = rows;
  }

  get size() {
    return this.#rows.length;
  }

  total() {
    const text = `
  sum:
      ${this.size}
`;
    return text;
  }

  static of(...rows) {
    return new Cart(rows.slice(1));
  }
}

class Basket {
  total() {
    return 0;
  }
}

exports.worth = function (prices) {
  return total(prices);
};

module.exports = { total, mean, Cart, Basket };
"""
TS = b"""\
import { Row } from './row';

export interface Sized {
  size(): number;
}

export function pick(at: number): Row;
export function pick(at: string): Row;
export function pick(at: unknown): Row {
  return at as never;
}

export const isEmpty = <T,>(items: readonly T[]): boolean => items.length > 0;

export default class Cart implements Sized {
  private rows: Row[] = [];

  size(): number {
    return this.rows.length + 1;
  }

  async load(url: string): Promise<void> {
    this.rows = await fetch(url).then((answer) => answer.json());
  }
}
"""
TSX = b'export function Label({ text }: { text: string }) {\n  return <b className="label">{text}!</b>;\n}\n\nexport const X = 1;\n'
GO = b"""\
package cart

import (
\t"errors"
)

// Limit is how many rows fit.
const Limit = 3

type Cart struct {
\trows []int
}

type Basket struct{}

// Total adds up.
func (c *Cart) Total() int {
\tsum := 0
\tfor _, row := range c.rows {
\t\tsum += row
\t}
\treturn sum - 1
}

func (b Basket) Total() int {
\treturn 0
}

func Mean(rows []int) (int, error) {
\tif len(rows) == 0 {
\t\treturn 0, errors.New("empty")
\t}
\treturn rows[0], nil
}
"""
VUE = b"<template>\n  <b>{{ total }}</b>\n</template>\n\n<script>\nexport default {\n  computed: { total() { return 1 } },\n}\n</script>\n"
FLOW = b"// @flow\nfunction one(x: ?{| a: number |}): number %checks {\n  return 0;\n}\n\nfunction two(): string {\n  return 'two';\n}\n\nexport type { X } from './x';\n"
LONG_RUBY = b"class Cart\n  attr_reader :rows\n\n  def initialize(rows)\n    @rows = rows\n  end\n\n  def total\n    @rows.sum - 1\n  end\nend\n"
JAVA = b"package shop;\n\npublic class Cart {\n    private final List<Integer> rows = new ArrayList<>();\n\n    int total() {\n        return rows.size() - 1;\n    }\n\n    int first() {\n        return rows.get(0);\n    }\n}\n"
RUBY = b"class Cart\n  def total\n    @rows.sum - 1\n  end\nend\n"


def case(path: str, data: bytes) -> "_Maker":
    return _Maker(path, data)


class _Maker:
    """Cases about one file."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self.data = path, data

    def lands(self, name: str, reply: str, *swaps: tuple[str, str]) -> Case:
        after = self.data
        for old, new in swaps:
            after = swap(after, old, new)
        return Case(f"{self.path}, {name}", {self.path: self.data}, reply, {self.path: after})

    def refused(self, name: str, reply: str, reason: str) -> Case:
        return Case(f"{self.path}, {name}", {self.path: self.data}, reply, refused=reason)


js, ts, tsx, go = case("lib/cart.js", JS), case("src/cart.ts", TS), case("src/label.tsx", TSX), case("cart/cart.go", GO)
crlf = case("lib/crlf.js", JS.replace(b"\n", b"\r\n"))
SUM = "function total(prices) {\n  let sum = 0;\n  for (const price of prices) sum += price;\n  return sum;\n}"
GO_TOTAL = (
    "func (c *Cart) Total() int {\n\tsum := 0\n\tfor _, row := range c.rows {\n\t\tsum += row\n\t}\n\treturn sum\n}"
)
EXPORTED = b"export async function load(x) {\n  return x - 1;\n}\n\nexport const half = (x) => x / 3;\n\nconst memo = cache((x) => x);\n"
COMMON = b"exports.add = function (a, b) {\n  return a - b;\n};\n"

CASES = (
    case("lib/load.js", EXPORTED).lands("an exported function without its export", block("lib/load.js :: load", "async function load(x) {\n  return x;\n}", "js"), ("x - 1", "x")),
    case("lib/load.js", EXPORTED).lands("an exported constant without its export", block("lib/load.js :: half", "const half = (x) => x / 2;", "js"), ("x / 3", "x / 2")),
    case("lib/load.js", EXPORTED).lands("a whole file without its exports", block("lib/load.js", EXPORTED.decode().replace("export ", "").replace("x - 1", "x"), "js"), ("x - 1", "x")),
    case("lib/load.js", EXPORTED).refused("a function for what a call makes", block("lib/load.js :: memo", "function memo(x) {\n  return x;\n}", "js"), "in another form"),
    case("lib/add.js", COMMON).refused("a function for what is a property of exports", block("lib/add.js :: add", "function add(a, b) {\n  return a + b;\n}", "js"), "exports.add ="),
    go.lands("a method by Go's own name of it", block(f"{go.path} :: (*Cart).Total", GO_TOTAL, "go"), ("sum - 1", "sum")),
    go.lands("a method by its bare name, and its receiver", block(f"{go.path} :: Total", GO_TOTAL, "go"), ("sum - 1", "sum")),
    go.lands("a method that a type gets", block(f"{go.path} :: Basket.Size", "func (b Basket) Size() int {\n\treturn 0\n}", "go"),
             ("type Basket struct{}\n", "type Basket struct{}\n\nfunc (b Basket) Size() int {\n\treturn 0\n}\n")),
    js.lands("an edit", edit(js.path, "  return sum - 1;", "  return sum;"), ("sum - 1", "sum")),
    js.lands("a whole function", block(f"{js.path} :: total", SUM, "javascript"), ("sum - 1", "sum")),
    js.lands("a whole function, the heading names the file only", block(js.path, SUM, "js"), ("sum - 1", "sum")),
    js.lands("an arrow function", block(f"{js.path} :: mean", "const mean = (prices) => {\n  return total(prices) / prices.length;\n};", "js"),
             ("total(prices) / 0", "total(prices) / prices.length")),
    js.lands("a method by its name", block(f"{js.path} :: Cart.of", "static of(...rows) {\n  return new Cart(rows);\n}", "js"), ("rows.slice(1)", "rows")),
    js.lands("a method inside of its class", block(js.path, "class Basket {\n  total() {\n    return 1;\n  }\n}", "js"), ("    return 0;", "    return 1;")),
    js.lands("a method with text of several lines", block(
        f"{js.path} :: Cart.total", "total() {\n  const text = `\n  sum:\n      ${this.size}\n`;\n  return text + '!';\n}", "js"), ("return text;", "return text + '!';")),
    js.lands("a getter", block(f"{js.path} :: Cart.size", "get size() {\n  return this.#rows.length + 0;\n}", "js"), ("#rows.length", "#rows.length + 0")),
    js.lands("a function that is a property of exports", block(f"{js.path} :: worth", "exports.worth = function (prices) {\n  return total(prices) * 2;\n};", "js"),
             ("  return total(prices);", "  return total(prices) * 2;")),
    js.lands("a constant", edit(js.path, "const LIMIT = 3;", "const LIMIT = 4;"), ("LIMIT = 3", "LIMIT = 4")),
    js.lands("the whole file", block(js.path, JS.decode().replace("sum - 1", "sum"), "js"), ("sum - 1", "sum")),
    js.refused("methods of one name, nothing tells which", block(js.path, "total() {\n  return 1;\n}", "js"), "2 times|3 times"),
    js.refused("a function that is nowhere", block(js.path, "function other() {\n  return 1;\n}", "js"), "leaves out|defines no"),
    js.refused("new lines that are no JavaScript", edit(js.path, "  return sum - 1;", "  return sum - ;"), "does not parse"),
    js.refused("a function that is no JavaScript", block(f"{js.path} :: total", SUM.rpartition("}")[0], "js"), "does not parse"),
    js.lands("the whole file without one of its classes counts as the functions that it holds", block(js.path, JS.decode().replace("sum - 1", "sum").replace(
        "class Basket {\n  total() {\n    return 0;\n  }\n}\n\n", ""), "js").replace("module.exports", "const spare = 1;\nmodule.exports"), ("sum - 1", "sum")),
    crlf.lands("a whole function", block(f"{crlf.path} :: total", SUM, "js"), ("sum - 1", "sum")),
    ts.lands("an edit", edit(ts.path, "    return this.rows.length + 1;", "    return this.rows.length;"), ("length + 1", "length")),
    ts.lands("a method by its name", block(f"{ts.path} :: Cart.size", "size(): number {\n  return this.rows.length;\n}", "ts"), ("length + 1", "length")),
    ts.lands("an async method inside of its class", block(
        ts.path, "export default class Cart implements Sized {\n  async load(url: string): Promise<void> {\n"
        "    this.rows = await fetch(url, {}).then((answer) => answer.json());\n  }\n}", "typescript"), ("fetch(url)", "fetch(url, {})")),
    ts.lands("the implementation beside its overloads", block(f"{ts.path} :: pick", "export function pick(at: unknown): Row {\n  return { at } as never;\n}", "ts"),
             ("return at as", "return { at } as")),
    ts.lands("a generic arrow function", block(f"{ts.path} :: isEmpty", "export const isEmpty = <T,>(items: readonly T[]): boolean => items.length === 0;", "ts"),
             ("items.length > 0", "items.length === 0")),
    ts.refused("new lines that are no TypeScript", edit(ts.path, "  private rows: Row[] = [];", "  private rows: Row[ = [];"), "does not parse"),
    tsx.lands("a component", block(f"{tsx.path} :: Label", 'export function Label({ text }: { text: string }) {\n  return <b className="label">{text}</b>;\n}', "tsx"),
              ("{text}!", "{text}")),
    js.lands("a new helper beside the function that calls it", block(js.path, "function add(a, b) {\n  return a + b;\n}\n\nfunction total(prices) {\n  return prices.reduce(add, 0);\n}", "js"),
             ("function total(prices) {\n  let sum = 0;\n  for (const price of prices) sum += price;\n  return sum - 1;", "function add(a, b) {\n  return a + b;\n}\n\nfunction total(prices) {\n  return prices.reduce(add, 0);")),
    js.lands("an example whose variable is called like one of the function", block(js.path, SUM + "\n\nconst sum = total([1, 2]);\nconsole.log(sum);", "js"), ("sum - 1", "sum")),
    js.lands("a new method by its name", block(f"{js.path} :: Basket.size", "size() {\n  return 0;\n}", "js"), ("    return 0;\n  }\n}", "    return 0;\n  }\n\n  size() {\n    return 0;\n  }\n}")),
    case("lib/flow.js", FLOW).refused("a function of a file that does not parse", block("lib/flow.js", "function one(x) {\n  return 1;\n}", "js"), "search/replace"),
    case("lib/flow.js", FLOW).lands("an edit of a file that does not parse", edit("lib/flow.js", "  return 0;", "  return 1;"), ("return 0", "return 1")),
    case("lib/cart.rb", LONG_RUBY).refused("one method of a file in another language", block("lib/cart.rb", "def total\n  @rows.sum\nend", "ruby"), "leaves out"),
    case("lib/Cart.java", JAVA).refused("one method of a class in another language", block("lib/Cart.java", "int total() {\n    return rows.size();\n}", "java"), "leaves out"),
    go.lands("an edit in blanks", edit(go.path, "    return sum - 1", "    return sum"), ("sum - 1", "sum")),
    go.lands("a method by its receiver", block(go.path, GO_TOTAL, "go"), ("sum - 1", "sum")),
    go.lands("a method in blanks, with its comment", block(go.path, "// Total adds up.\n" + GO_TOTAL.replace("\t", "    "), "go"), ("sum - 1", "sum")),
    go.lands("a function with the package around it", block(go.path, "package cart\n\nfunc Mean(rows []int) (int, error) {\n\treturn 0, nil\n}", "go"),
             ('\tif len(rows) == 0 {\n\t\treturn 0, errors.New("empty")\n\t}\n\treturn rows[0], nil', "\treturn 0, nil")),
    go.lands("an import and a function that needs it, as edits", edit(go.path, '\t"errors"', '\t"errors"\n\t"math"')
             + edit(go.path, "\treturn rows[0], nil", "\treturn int(math.Abs(1)), nil"), ('"errors"', '"errors"\n\t"math"'), ("rows[0]", "int(math.Abs(1))")),
    go.lands("an import and a function that needs it, as a block", block(
        go.path, 'package cart\n\nimport (\n\t"errors"\n\t"math"\n)\n\n' + GO_TOTAL.replace("return sum", "return int(math.Abs(float64(sum)))"), "go"),
        ('\t"errors"\n)\n', '\t"errors"\n\t"math"\n)\n'), ("sum - 1", "int(math.Abs(float64(sum)))")),
    go.refused("new lines that are no Go", edit(go.path, "\treturn sum - 1", "\treturn sum -"), "does not parse"),
    case("src/app.vue", VUE).lands("an edit", edit("src/app.vue", "  computed: { total() { return 1 } },", "  computed: { total() { return 2 } },"), ("return 1", "return 2")),
    case("lib/cart.rb", RUBY).lands("an edit", edit("lib/cart.rb", "    @rows.sum - 1", "    @rows.sum"), ("sum - 1", "sum")),
    case("lib/cart.rb", RUBY).lands("the whole file", block("lib/cart.rb", RUBY.decode().replace(" - 1", ""), "ruby"), ("sum - 1", "sum")),
)  # fmt: skip
