import { HealthExpression } from '../../core/health/health';

/**
 * Prints a health expression in the Common Expression Language, as Flux evaluates it for `healthCheckExprs`.
 *
 * An expression that names `status` fails where the object has none, which Flux treats as in progress. The left part of `||` decides nevertheless.
 *
 * @see fluxcd/pkg:runtime/cel/status_evaluator.go
 */
export function printCel(expression: HealthExpression): string {
  return print(expression, false);
}

// `within`: whether it is part of another expression, where || and && need parentheses
function print(expression: HealthExpression, within: boolean): string {
  if ('always' in expression) { return 'true'; }
  if ('text' in expression) { return joined([`has(${expression.text})`, `${expression.text} != ''`], '&&', within); }
  if ('field' in expression) { return joined([`has(${expression.field})`, `${expression.field} == ${literal(expression.is)}`], '&&', within); }
  if ('condition' in expression) {
    const { condition, is } = expression;
    const says = is === 'without message' ? '(!has(c.message) || c.message == \'\')' : `c.status == ${literal(is)}`;
    return joined(['has(status.conditions)', `status.conditions.exists(c, c.type == ${literal(condition)} && ${says})`], '&&', within);
  }
  if ('named' in expression) { return `metadata.name in [${expression.named.map(literal).join(', ')}]`; }
  if ('not' in expression) { return `!(${print(expression.not, false)})`; }
  return 'all' in expression
    ? joined(expression.all.map((each) => print(each, true)), '&&', within)
    : joined(expression.any.map((each) => print(each, true)), '||', within);
}

function joined(parts: readonly string[], operator: '&&' | '||', within: boolean): string {
  const text = parts.join(` ${operator} `);
  return within && parts.length > 1 ? `(${text})` : text;
}

function literal(value: string | boolean): string {
  return typeof value === 'boolean' ? String(value) : `'${value}'`;
}
