import { HealthExpression } from '../../src/core/kind/ready/health';
import { conditionsOf } from '../../src/core/kind/ready/readiness';
import { Manifest, valueAt } from '../../src/core/manifest/manifest';

/** Whether an expression holds for a live object. */
export function holds(expression: HealthExpression, live: Manifest): boolean {
  if ('always' in expression) {
    return true;
  }
  if ('text' in expression) {
    const value = fieldOf(live, expression.text);
    return typeof value === 'string' && value !== '';
  }
  if ('field' in expression) {
    return fieldOf(live, expression.field) === expression.is;
  }
  if ('condition' in expression) {
    return hasCondition(live, expression.condition, expression.is);
  }
  if ('named' in expression) {
    return expression.named.includes(live.metadata.name);
  }
  if ('not' in expression) {
    return !holds(expression.not, live);
  }
  return 'all' in expression
    ? expression.all.every((each) => holds(each, live))
    : expression.any.some((each) => holds(each, live));
}

function hasCondition(
  live: Manifest,
  type: string,
  is: 'True' | 'False' | 'without message',
): boolean {
  return conditionsOf(live).some(
    (condition) =>
      condition.type === type &&
      (is === 'without message' ? !condition.message : condition.status === is),
  );
}

function fieldOf(live: Manifest, path: string): unknown {
  return valueAt(live, ...path.split('.'));
}
