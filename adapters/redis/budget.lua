-- Takes ARGV[3] times out of the budget KEYS[1], by the generic cell rate algorithm.
-- The budget gives one time every ARGV[1] microseconds and ARGV[2] of them when whole;
-- its key holds when it is whole again. A cost of 0 only looks. The clock is the
-- server's, unless ARGV[4] is one. Returns whether it was allowed, and how many
-- microseconds the budget is away from whole.
local interval, limit, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(ARGV[4])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local full = interval * limit
local whole = tonumber(redis.call('GET', KEYS[1]) or now)
-- No more than all of it can be spent, however the clock or the budget was moved.
local spent = math.min(math.max(whole - now, 0), full)
local price = interval * math.max(cost, 1)
if spent + price > full then
  return {0, spent}
end
if cost > 0 then
  spent = spent + price
  redis.call('SET', KEYS[1], string.format('%.0f', now + spent), 'PX', math.ceil(spent / 1000) + 5000)
end
return {1, spent}
