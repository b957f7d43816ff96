import { Construction, constructions } from './_constructions';
import { readDeclarations } from './_declarations';
import { Fault, Faults } from './_faults';
import { Generator } from './_generator';
import { Place, Versions } from './_place';
import { HINTS } from './_table';
import { someOf, testOfAll } from '../support/cases';
import { PUBLIC_NAMES } from '../support/public-names';

const VERSIONS: Versions = { rancher: '2.15.0', harvester: '1.9.0', kubernetes: 'rke2' };
/** Of the last ones that have RKE1. */
const OLD_VERSIONS: Versions = { rancher: '2.11.3', harvester: '1.5.1', kubernetes: 'rke2' };

/** Faults of which one hides the other, and why. */
const HIDDEN: { readonly [name: string]: string } = {
  // both are of the same other cluster
  'GuestCluster: harvesterImport': 'is that of the other namespace',
  'Rke1Cluster: harvesterImport': 'is that of the other namespace',
  'LdapAuthConfig: provider': 'decides which props it has',
  'CloudCredential.serviceAccount: harvesterImport': 'is that of the other namespace',
};

const declarations = readDeclarations();
const generator = new Generator(declarations, HINTS, PUBLIC_NAMES);
const faults = new Faults(declarations, generator);
// the value of a setting is one text, which its reader refuses at the first fault; what a team gets
// is named by the given name, which is one of the faults
const all = constructions(declarations, generator).filter(
  ({ name }) => !/^(?:Harvester|Rancher)Setting\.|^TenantTeam\.add/.test(name),
);

/** The places of the problems that a construct reports, as `[path] prop`. */
function reported({ name, parameters, run }: Construction, ...given: readonly Fault[]): string[] {
  const place = new Place(name.startsWith('Rke1') ? OLD_VERSIONS : VERSIONS);
  const args = parameters.map((parameter) => generator.base(parameter)(place));
  for (const { index, spoil } of given) {
    args[index] = spoil(place, args[index]);
  }
  try {
    run(place, args);
    return [];
  } catch (error) {
    return (error as Error).message
      .split('\n')
      .map(
        (line) =>
          /^\[[^\]]*\] [^:]*(?=:)/.exec(line)?.[0].replace(/\[(?:generated|Not valid!)\]/, '[*]') ??
          line,
      );
  }
}

describe('constructs with two wrong props', () => {
  const hidden = new Set<string>();

  test.each(someOf(all, 40).map((construction) => [construction.name, construction] as const))(
    'report both at once: %s',
    (name, construction) => {
      const found = faults
        .of(construction.parameters)
        .map((fault) => ({ fault, places: reported(construction, fault) }))
        .filter(({ places }) => places.length > 0);
      // each with the next one: of two groups that are checked one after the other, two faults are
      // next to each other
      const lost = found.flatMap(({ fault, places }, index) => {
        const { fault: next, places: others } = found[(index + 1) % found.length];
        const together = reported(construction, fault, next);
        const missing = [...new Set([...places, ...others])].filter(
          (place) => !together.includes(place),
        );
        const exception = [fault, next]
          .map(({ path }) => `${name}: ${path}`)
          .find((key) => key in HIDDEN);
        if (missing.length > 0 && exception !== undefined) {
          hidden.add(exception);
        }
        return missing.length > 0 && exception === undefined
          ? [
              `${fault.path} and ${next.path}: not ${missing.join(', ')}, only ${together.join(', ')}`,
            ]
          : [];
      });
      expect(lost).toEqual([]);
    },
  );

  testOfAll('have no exception that is not needed', () => {
    expect([...hidden].sort()).toEqual(Object.keys(HIDDEN).sort());
  });
});
