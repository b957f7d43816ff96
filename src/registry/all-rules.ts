import { ALL_KINDS } from './all-kinds';
import { RULE_FAMILIES, immutableBeside } from './rule-families';
import { Rule } from '../core/rule/rule';

const OWN_RULES: readonly Rule[] = RULE_FAMILIES.flatMap(({ rules }) => rules());

/** The rules on immutable fields that no slice extends. */
export const IMMUTABLE_RULES: readonly Rule[] = immutableBeside(OWN_RULES, ALL_KINDS);

/** Every rule over manifests: those of the slices, then those on immutable fields. */
export const ALL_RULES: readonly Rule[] = [...OWN_RULES, ...IMMUTABLE_RULES];
