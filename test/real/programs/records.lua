-- A program that keeps records: a list, an index by name, a tree by key; look-ups, updates, deletions, and garbage.
-- Arguments: records, look-ups.
local count, lookups = tonumber(arg[1]) or 50000, tonumber(arg[2]) or 200000

local state = 12345
local function draw(below)
  state = (state * 1103515245 + 12345) % 2147483648
  return state // 65536 * below // 32768
end

local function insert(node, key, record)
  if not node then return { key = key, record = record } end
  if key < node.key then node.left = insert(node.left, key, record)
  else node.right = insert(node.right, key, record) end
  return node
end

local function find(node, key)
  while node and node.key ~= key do
    if key < node.key then node = node.left else node = node.right end
  end
  return node and node.record
end

local Record = {}
Record.__index = Record
function Record.new(id, name) return setmetatable({ id = id, name = name, score = 0, visits = 0, tags = {} }, Record) end
function Record:visit(points) self.visits, self.score = self.visits + 1, self.score + points end

local list, byName, tree, keys = {}, {}, nil, {}
for i = 1, count do
  local record = Record.new(i, ("name%d"):format(i * 7919 % 1000003))
  list[i], byName[record.name] = record, record
  keys[i] = draw(32768) * 32768 + draw(32768)
  tree = insert(tree, keys[i], record)
end

local found, points = 0, 0
for i = 1, lookups do
  local at = draw(32768) * count // 32768 + 1
  local record = byName[("name%d"):format(at * 7919 % 1000003)]
  if record then record:visit(i % 7) found = found + 1 end
  local other = find(tree, keys[(at * 31) % count + 1])
  if other then other:visit(1) other.tags[#other.tags % 4 + 1] = i end
  if i % 16 == 0 then
    local gone = list[at]
    byName[gone.name] = nil
    list[at] = Record.new(gone.id, gone.name)
    byName[gone.name] = list[at]
  end
end
for _, record in ipairs(list) do points = points + record.score end
print(found, points, state)
