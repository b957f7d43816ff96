import { readFileSync } from 'fs';
import { join } from 'path';
import { parse } from 'yaml';
import { allGates } from '../../../src/core/version/feature-gates';
import { ALL_RULES } from '../../../src/registry/all-rules';

/** Which versions have the words of a rule. */
type Row =
  | 'all'
  | 'api-server'
  | 'composed'
  | { readonly gate: string; readonly from?: never; readonly until?: never }
  | { readonly from?: readonly string[]; readonly until?: string; readonly others: string };

const ROWS = Object.entries(
  parse(readFileSync(join(__dirname, 'quotations.yaml'), 'utf8')) as Record<string, Row>,
);
const QUOTING = ALL_RULES.filter(({ says }) => says !== undefined);

test('each rule that quotes a server has a row, and each row a rule', () => {
  const ids = (of: readonly { id: string }[]): string[] => [...new Set(of.map(({ id }) => id))];
  expect(ROWS.map(([id]) => id).sort()).toEqual(ids(QUOTING).sort());
});

test('a rule whose words not all versions have names a gate, or what the other versions do', () => {
  const gates = new Set(allGates().map(({ id }) => id));
  const wrong = ROWS.filter(([, row]) => {
    if (typeof row === 'string') {
      return !['all', 'api-server', 'composed'].includes(row);
    }
    return 'gate' in row
      ? !gates.has(row.gate!)
      : (row.from ?? [row.until]).some((version) => !version) || !row.others;
  });
  expect(wrong).toEqual([]);
});

test('the gate of a rule is the one of its row', () => {
  const rows = new Map(ROWS);
  const wrong = QUOTING.filter(({ id, gate }) => {
    const row = rows.get(id);
    const named = typeof row === 'object' && 'gate' in row ? row.gate : undefined;
    return gate !== undefined && gate !== named;
  });
  expect(wrong.map(({ id }) => id)).toEqual([]);
});
