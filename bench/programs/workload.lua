-- What Lua programs do: tables of numbers and of records, closures, strings that are built and taken apart. The argument says how much.
local rounds = tonumber(arg[1]) or 12

local function sieve(n)
  local composite, count = {}, 0
  for i = 2, n do
    if not composite[i] then
      count = count + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return count
end

local function bodies(n, steps)
  local all = {}
  for i = 1, n do all[i] = { x = i, y = i * i % 7, vx = 0, vy = 0, mass = 1 / i } end
  for _ = 1, steps do
    for i, a in ipairs(all) do
      for j = i + 1, n do
        local b = all[j]
        local dx, dy = a.x - b.x, a.y - b.y
        local pull = 0.001 / (dx * dx + dy * dy + 0.1)
        a.vx, a.vy = a.vx - dx * b.mass * pull, a.vy - dy * b.mass * pull
        b.vx, b.vy = b.vx + dx * a.mass * pull, b.vy + dy * a.mass * pull
      end
    end
    for _, body in ipairs(all) do body.x, body.y = body.x + body.vx, body.y + body.vy end
  end
  return all[1].x
end

local function words(n)
  local seen, parts = {}, {}
  for i = 1, n do
    local word = ("w%d"):format(i * 7919 % 4001)
    seen[word] = (seen[word] or 0) + 1
    parts[#parts + 1] = word:upper():sub(1, 3)
  end
  local text, most = table.concat(parts, " "), 0
  for word in text:gmatch("%a%d+") do most = most + #word end
  local names = {}
  for name in pairs(seen) do names[#names + 1] = name end
  table.sort(names)
  return most + #names
end

local function fold(list, f, from)
  for _, value in ipairs(list) do from = f(from, value) end
  return from
end

local total = 0
for round = 1, rounds do
  total = total + sieve(60000) + words(30000) + math.floor(bodies(24, 60) * 100)
  total = total + fold({ 3, 1, 2, round }, function(sum, value) return sum + value end, 0)
end
print(total)
