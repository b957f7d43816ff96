import { HealthExpression, HealthRule } from '../../core/health/health';

/** Prints the health of a kind as the Lua script that Argo CD runs: `obj` is the live object. @see argoproj/argo-cd:docs/operator-manual/health.md */
export function printLua({ healthy, failed }: HealthRule): string {
  const usesConditions = [healthy, ...(failed ? [failed] : [])].some(hasCondition);
  return [
    ...(usesConditions ? CONDITION_FUNCTION : []),
    ...(failed ? [`if ${print(failed)} then return { status = "Degraded", message = "failed" } end`] : []),
    `if ${print(healthy)} then return { status = "Healthy", message = "" } end`,
    'return { status = "Progressing", message = "is not ready for what depends on it" }',
    '',
  ].join('\n');
}

/** Whether one of the conditions of a type has a status, or no message. */
const CONDITION_FUNCTION: readonly string[] = [
  'local function condition(type, is)',
  '  for _, c in ipairs((obj.status or {}).conditions or {}) do',
  '    if c.type == type and (c.status == is or (is == "without message" and (c.message or "") == "")) then return true end',
  '  end',
  '  return false',
  'end',
];

function hasCondition(expression: HealthExpression): boolean {
  if ('all' in expression) { return expression.all.some(hasCondition); }
  if ('any' in expression) { return expression.any.some(hasCondition); }
  return 'condition' in expression;
}

function print(expression: HealthExpression): string {
  if ('always' in expression) { return 'true'; }
  if ('text' in expression) { return `(${field(expression.text)} or "") ~= ""`; }
  if ('field' in expression) { return `${field(expression.field)} == ${literal(expression.is)}`; }
  if ('condition' in expression) { return `condition(${literal(expression.condition)}, ${literal(expression.is)})`; }
  if ('named' in expression) { return `(${expression.named.map((name) => `obj.metadata.name == ${literal(name)}`).join(' or ')})`; }
  if ('not' in expression) { return `not ${print(expression.not)}`; }
  return 'all' in expression ? `(${expression.all.map(print).join(' and ')})` : `(${expression.any.map(print).join(' or ')})`;
}

// Lua fails at a field of nothing
function field(path: string): string {
  const keys = path.split('.');
  return keys.slice(0, -1).reduce((parent, key) => `(${parent}.${key} or {})`, 'obj') + `.${keys.at(-1)}`;
}

function literal(value: string | boolean): string {
  return typeof value === 'boolean' ? String(value) : `"${value}"`;
}
