// Long names of C++ types, in a line.

import { expect, test } from 'vitest';
import { briefType } from '../../src/report/brief-type.js';

test.each([
  ['struct node', 'struct node'],
  ['leveldb::SkipList<const char *, leveldb::MemTable::KeyComparator>::Node', 'leveldb::SkipList<…>::Node'],
  ['std::unordered_map<std::string, std::vector<std::pair<int, long>>>::value', 'std::unordered_map<…>::value'],
  ['one::two::three::four::five::six::seven::eight', 'one::…::eight'],
  ['a_name_that_is_longer_than_what_a_line_has_room_for', 'a_name_that_is_longer_than_what_a_line_has_room_for'],
  ['operator->(a_name_that_is_longer_than_a_line)', 'operator->(a_name_that_is_longer_than_a_line)'],
])('%s', (type, brief) => expect(briefType(type)).toBe(brief));
