import { expect, test } from 'vitest';
import { counterparts } from './counterparts';
import { hero, quote } from './fixture';

const others = [hero('a', 'One'), quote('b', 'Two'), hero('c', 'Three')];

test('all items of another translation are left over beside an empty field', () => {
  expect(counterparts([], others)).toEqual({ beside: [], rest: others });
});

test('items stand beside those of their key, also after a move', () => {
  const { beside, rest } = counterparts([hero('c', 'Drei'), hero('a', 'Eins')], others);
  expect(beside).toEqual([others[2], others[0]]);
  expect(rest).toEqual([others[1]]);
});

test('an item with a key of its own stands beside that of its index and type, unless another item has its key', () => {
  expect(counterparts([hero('x', 'Eins'), hero('y', 'Zwei')], others)).toEqual({ beside: [others[0], undefined], rest: [others[1], others[2]] });
  expect(counterparts([hero('x', 'Neu'), hero('a', 'Eins')], others).beside).toEqual([undefined, others[0]]);
});

test('the only item of a group stands beside the only one', () => {
  expect(counterparts([{ title: 'Eins' }], [{ title: 'One' }])).toEqual({ beside: [{ title: 'One' }], rest: [] });
});
