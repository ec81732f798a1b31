-- Takes ARGV[3] operations from the budget KEYS[1]: at most ARGV[2] in any ARGV[1] microseconds. A
-- cost of 0 takes nothing. The clock is that of the server, or ARGV[4] if it is not empty.
-- The key has a list: the start of the newest group of operations, and then, oldest first, the time of
-- the latest operation of each group and their number. A group lasts a 30th of the window. Its
-- operations return together. Returns whether the cost was taken, the remaining operations, and the
-- microseconds until the budget is full and until the cost is allowed.
local window, limit, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(ARGV[4])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local stored = redis.call('GET', KEYS[1])
local old = stored and cmsgpack.unpack(stored) or {now}
-- After the clock was set back, operations of the future count as of now.
local kept, count = {math.min(old[1], now)}, 0
local moved = #old > 1 and old[#old - 1] > now
local function save()
  redis.call('SET', KEYS[1], cmsgpack.pack(kept), 'PX', math.ceil(window / 1000) + 1000)
end
for i = 2, #old, 2 do
  local last = math.min(old[i], now)
  if now - last < window then
    kept[#kept + 1] = last
    kept[#kept + 1] = old[i + 1]
    count = count + old[i + 1]
  end
end
local free, price = limit - count, math.max(cost, 1)
local reset = #kept > 1 and kept[#kept - 1] + window - now or 0
if price > free then
  local missing, retry = price - free, window
  for i = 2, #kept, 2 do
    missing = missing - kept[i + 1]
    if missing <= 0 then
      retry = kept[i] + window - now
      break
    end
  end
  if moved then
    save()
  end
  return {0, math.max(free, 0), reset, retry}
end
if cost == 0 then
  return {1, free, reset, 0}
end
if #kept == 1 or now - kept[1] >= math.floor(window / 30) then
  kept[1] = now
  kept[#kept + 1] = now
  kept[#kept + 1] = 0
end
kept[#kept - 1] = now
kept[#kept] = kept[#kept] + cost
save()
return {1, free - cost, window, 0}
