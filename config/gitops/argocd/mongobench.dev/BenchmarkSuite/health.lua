-- The health of a BenchmarkSuite. Argo CD gives the object as obj, and none of Lua's libraries but table.
--
--   Progressing  until every run of the present content has ended and was compared
--   Suspended    the same with spec.suspend
--   Degraded     the suite did not pass (spec.failOn, or a search found nothing), runs failed, or the content is refused
--   Healthy      otherwise; if it is unknown whether something regressed, the message says so
local conditions = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    conditions[condition.type] = condition
  end
end

-- What is said of an earlier content of a suite says nothing of this one.
local function observed(condition)
  return condition ~= nil and (condition.observedGeneration or 0) >= (obj.metadata.generation or 0)
end

local complete, regressed, passed = conditions.Complete, conditions.Regressed, conditions.Passed
if not observed(complete) then
  return {status = "Progressing", message = "the operator has not looked at this content yet"}
end
if complete.reason == "NotAccepted" then
  local accepted = conditions.Accepted or complete
  return {status = "Degraded", message = accepted.reason .. ": " .. accepted.message}
end
if complete.status ~= "True" then
  if obj.spec.suspend then
    return {status = "Suspended", message = complete.message}
  end
  return {status = "Progressing", message = complete.message}
end
if not observed(regressed) or not observed(passed) or regressed.reason == "NotCompared" then
  return {status = "Progressing", message = "the runs are being compared"}
end
if regressed.status == "True" and passed.status ~= "True" then
  return {status = "Degraded", message = "regressed: " .. regressed.message}
end
-- Runs of a search may fail, and it compares with nothing: what it found says whether it passed.
local searched = complete.reason == "Searched"
if searched and passed.status == "True" then
  return {status = "Healthy", message = passed.message}
end
if complete.reason ~= "AllSucceeded" and not searched then
  return {status = "Degraded", message = complete.reason .. ": " .. complete.message}
end
if passed.status == "False" then
  return {status = "Degraded", message = "not passed (" .. passed.reason .. "): " .. passed.message}
end
if regressed.status == "True" then
  return {status = "Healthy", message = "regressed, and spec.failOn allows it: " .. regressed.message}
end
if regressed.status ~= "False" then
  return {status = "Healthy", message = "no verdict (" .. regressed.reason .. "): " .. regressed.message}
end
return {status = "Healthy", message = regressed.message}
