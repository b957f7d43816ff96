import { readFileSync } from 'fs';
import { join } from 'path';
import { KindFields } from '../../core/kind/description/fields';
import { kindOf } from '../../core/kind/kinds';
import { groupOf, kindKey, Manifest } from '../../core/manifest/manifest';
import { lazily } from '../../core/text/values';

/**
 * The file, which `test/props/writes.test.ts` writes: it changes each prop of all constructs, and
 * looks which fields change.
 */
export const PROPS_FILE = join(__dirname, '..', '..', '..', 'schema', 'props.json');

/** The props that set fields, by `group/Kind` and the path of the field; `[]` is any item. */
type Props = { readonly [kind: string]: { readonly [field: string]: string } };

const allProps = lazily(() => JSON.parse(readFileSync(PROPS_FILE, 'utf8')) as Props);

/** A step into a manifest: a key, or an item of a list by its name or its place. */
export type ChangeStep = string | { readonly item: string };

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** A path as findings write it: `spec.rkeConfig.machinePools[work].quantity`. */
export function stepsText(
  steps: readonly ChangeStep[],
  itemText: (item: string) => string = (item) => item,
): string {
  return steps
    .map((step, index) => {
      if (typeof step === 'object') {
        return `[${itemText(step.item)}]`;
      }
      return PLAIN_KEY.test(step) ? `${index === 0 ? '' : '.'}${step}` : `[${step}]`;
    })
    .join('');
}

/**
 * The prop that sets a field of an object, e.g. `quota.limitsCpu` of
 * `spec.resourceQuota.limit.limitsCpu`; undefined where none is known.
 */
export function propName(
  { apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>,
  steps: readonly ChangeStep[],
): string | undefined {
  const ofOther = propOfOther({ apiVersion, kind }, steps);
  if (ofOther !== undefined) {
    return ofOther;
  }
  const props = allProps()[kindKey(groupOf(apiVersion), kind)] ?? {};
  for (let end = steps.length; end > 0; end -= 1) {
    const prop = props[stepsText(steps.slice(0, end), () => '')];
    if (prop !== undefined) {
      const rest = steps.slice(end);
      // an annotation with JSON is made by several props
      if (rest.length > 0 && steps[1] === 'annotations' && end > 2) {
        return undefined;
      }
      return `${withItems(prop, steps)}${rest.length > 0 && typeof rest[0] === 'string' && PLAIN_KEY.test(rest[0]) ? '.' : ''}${stepsText(rest)}`;
    }
  }
  return undefined;
}

/** The prop of a field in a text with the fields of another kind, by those of that kind. */
function propOfOther(
  manifest: Pick<Manifest, 'apiVersion' | 'kind'>,
  steps: readonly ChangeStep[],
): string | undefined {
  const path = stepsText(steps);
  const { fieldsOfOthers = [] } = kindOf<KindFields>(manifest) ?? {};
  const other = fieldsOfOthers.find((each) => path.startsWith(`${each.path}.`));
  return other && allProps()[other.kind]?.[`${other.field}${path.slice(other.path.length)}`];
}

/** The prop with the items of the field, where both have as many lists. */
function withItems(prop: string, steps: readonly ChangeStep[]): string {
  const items = steps.flatMap((step) => (typeof step === 'object' ? [step.item] : []));
  const parts = prop.split('[]');
  return parts.length - 1 === 0 || parts.length - 1 > items.length
    ? prop
    : parts.reduce((all, part, index) => `${all}[${items[index - 1]}]${part}`);
}
