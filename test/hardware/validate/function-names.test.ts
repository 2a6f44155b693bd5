// Stage: test. Function names without template arguments.

import { expect, test } from 'vitest';
import { bareFunction } from '../../../src/hardware/validate/function-names.js';

test.each([
  ['count', 'count'],
  ['shop::Order::raise', 'shop::Order::raise'],
  ['std::vector<int, std::allocator<int> >::push_back', 'std::vector::push_back'],
  [
    'std::thread::_State_impl<std::thread::_Invoker<std::tuple<void (*)(int)> > >::_M_run',
    'std::thread::_State_impl::_M_run',
  ],
  ['operator<<', 'operator<<'],
  ['Key::operator<', 'Key::operator<'],
  ['ptr<Key>::operator->', 'ptr::operator->'],
  ['operator<=> <int>', 'operator<=> '],
  ['myoperator<int>', 'myoperator'],
])('%s', (name, bare) => {
  expect(bareFunction(name)).toBe(bare);
});
