import { CLAIMS_PATH, claimsOf, instanceOf, isHarvesters, MACHINE_KINDS } from './volume-claims.check';
import { isLate } from '../../core/late/late-token';
import { valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { quantityOf } from '../../core/text/values';

const MIB = 1024 ** 2;
/** Below these, the unit is missing or wrong: no system boots with less. */
const LEAST_MEMORY = 32;
const LEAST_DISK = 1;
const QUANTITY = 'quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'';

const UNITS: Rule = {
  id: 'virtual-machine/units',
  level: 'error',
  kinds: MACHINE_KINDS,
  what: 'memory and disk sizes of a virtual machine are quantities with their unit, such as 4Gi',
  source: 'https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    if (!isHarvesters({ target })) { return; }
    const domain = valueAt(instanceOf(manifest), 'domain');
    for (const keys of [['memory', 'guest'], ['resources', 'limits', 'memory'], ['resources', 'requests', 'memory']]) {
      yield* checkSize(`spec.template.spec.domain.${keys.join('.')}`, valueAt(domain, ...keys), LEAST_MEMORY);
    }
    for (const { size } of claimsOf(manifest)) { yield* checkSize(CLAIMS_PATH, size, LEAST_DISK); }
  },
};

function* checkSize(path: string, value: unknown, least: number): Iterable<Problem> {
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '' || isLate(value)) { return; }
  const bytes = quantityOf(value);
  if (bytes === undefined) {
    yield { path, value, message: 'must be a quantity', fix: 'write a number with Mi or Gi, e.g. 4Gi', says: QUANTITY };
  } else if (bytes > 0 && bytes < least * MIB) {
    yield { path, value, level: 'warning', message: `must be at least ${least}Mi: without a unit it is a number of bytes`, fix: 'write a number with Mi or Gi, e.g. 4Gi' };
  }
}

/** Rules for the units of virtual machines. */
export const UNIT_RULES: readonly Rule[] = [UNITS];
