-- The health of a BenchmarkRun. Argo CD gives the object as obj, and none of Lua's libraries but table.
--
--   Progressing  the end is open
--   Suspended    the same with spec.suspend
--   Degraded     the run ended without a result
--   Healthy      there is a result; where it should not be believed, the message says so
local conditions = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    conditions[condition.type] = condition
  end
end

local succeeded, trusted, progressing = conditions.Succeeded, conditions.Trusted, conditions.Progressing
-- How a run ended never changes, so that it does not matter of which generation this was said.
if succeeded ~= nil and succeeded.status == "False" then
  return {status = "Degraded", message = succeeded.reason .. ": " .. succeeded.message}
end
if succeeded ~= nil and succeeded.status == "True" then
  if trusted ~= nil and trusted.status == "False" then
    return {status = "Healthy", message = "in doubt: " .. trusted.message}
  end
  return {status = "Healthy", message = succeeded.message}
end
if obj.spec.suspend then
  return {status = "Suspended", message = "spec.suspend is true"}
end
if progressing ~= nil then
  return {status = "Progressing", message = progressing.reason .. ": " .. progressing.message}
end
return {status = "Progressing", message = "the operator has not looked at this run yet"}
