-- The health of a BenchmarkTarget. Argo CD gives the object as obj, and none of Lua's libraries but table.
--
--   Progressing  the members are on their way
--   Degraded     the operator has given up, or the specification is refused
--   Healthy      the target can be measured
local conditions = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    conditions[condition.type] = condition
  end
end

-- What is said of an earlier specification says nothing of this one.
local function observed(condition)
  return condition ~= nil and (condition.observedGeneration or 0) >= (obj.metadata.generation or 0)
end

local accepted, ready, stalled = conditions.Accepted, conditions.Ready, conditions.Stalled
if observed(accepted) and accepted.status == "False" then
  return {status = "Degraded", message = accepted.reason .. ": " .. accepted.message}
end
if observed(stalled) and stalled.status == "True" then
  return {status = "Degraded", message = stalled.reason .. ": " .. stalled.message}
end
if not observed(ready) then
  return {status = "Progressing", message = "the operator has not looked at this target yet"}
end
if ready.status == "True" then
  return {status = "Healthy", message = ready.message}
end
return {status = "Progressing", message = ready.reason .. ": " .. ready.message}
