import { readFileSync } from 'fs';
import { join } from 'path';
import { ALL_KINDS } from '../../src/registry/all-kinds';

const RIGHTS = ['Standard User', 'project owner', 'vm-creator'] as const;

/** The rows of the page about what others can prepare: the roles by kind. */
function documented(): ReadonlyMap<string, readonly string[]> {
  const page = readFileSync(join(__dirname, '../../docs/security.md'), 'utf8');
  const rows = page.slice(page.indexOf('| kind |')).split('\n\n')[0].split('\n').slice(2);
  return new Map(
    rows.flatMap((row) => {
      const [, kinds, rights] = row.split('|').map((cell) => cell.trim());
      return kinds
        .split(', ')
        .map(
          (kind) =>
            [
              kind.replace(/ \(`.*`\)$/, ''),
              RIGHTS.filter((right) => rights.includes(right)),
            ] as const,
        );
    }),
  );
}

describe('kinds that give permissions', () => {
  const kinds = ALL_KINDS.filter(({ power }) => power);

  test.each(kinds.map(({ kind, power }) => [kind, power!] as const))(
    '%s is on the page about security, with the roles that can create it',
    (kind, power) => {
      expect([kind, [...(documented().get(kind) ?? ['nowhere'])].sort()]).toEqual([
        kind,
        [...power.preparedBy].sort(),
      ]);
    },
  );

  test('are all that the page lists', () => {
    expect(
      [...documented().keys()].filter((kind) => !kinds.some((each) => each.kind === kind)),
    ).toEqual([]);
  });

  test('are all roles and bindings', () => {
    expect(ALL_KINDS.filter(({ access, power }) => access !== undefined && !power)).toEqual([]);
  });
});
