"""A module of JavaScript that needs no packages."""

from cheats.repository import NODE, Repository

CART = Repository(
    "cart",
    {
        "package.json": '{"name": "cart", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}\n',
        "src/cart.mjs": """const RATES = { de: 0.19, fr: 0.2 };

export function total(items, country = 'de') {
  if (!(country in RATES)) {
    throw new RangeError(`no rate for ${country}`);
  }
  const net = items.reduce((sum, item) => sum + item.price, 0);
  return Math.round(net * (1 + RATES[country]) * 100) / 100;
}

export function label(item) {
  return `${item.count} x ${item.name}`;
}
""",
        "test/cart.test.mjs": """import test from 'node:test';
import assert from 'node:assert';
import { label, total } from '../src/cart.mjs';

const pens = (count) => ({ name: 'pen', price: 2.5, count });

test('one item', () => {
  assert.strictEqual(total([pens(1)], 'fr'), 3);
});

test('several pieces', () => {
  assert.strictEqual(total([pens(4), pens(3)], 'fr'), 21);
});

test('unknown countries are refused', () => {
  assert.throws(() => total([], 'xx'), RangeError);
});

test('label', () => {
  assert.strictEqual(label(pens(2)), '2 x pen');
});
""",
    },
    ("test/cart.test.mjs::several pieces",),
    {"src/cart.mjs": ("sum + item.price, 0", "sum + item.price * item.count, 0")},
    NODE,
)
