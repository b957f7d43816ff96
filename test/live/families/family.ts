import { tempFolder } from '../../support/temp';
import { Question } from '../lab/access';
import { Product } from '../lab/kubeconfigs';
import { Lab } from '../lab/lab';
import { Charts, CommitOptions, Walk } from '../walk/walk';

/** What the commits of a family differ in. */
export interface Variation {
  /** Whether one prop of each object has another value. */
  readonly isEdited: boolean;
  /** Whether a field of each object that is immutable has another value. */
  readonly isReplaced: boolean;
  /** A suffix of all names. */
  readonly suffix: string;
  /** The namespace of what has one. */
  readonly namespace: 'one' | 'two';
  /** How many objects there are in place of each. */
  readonly copies: 1 | 2;
}

/** The first commit of every family. */
export const FIRST: Variation = {
  isEdited: false,
  isReplaced: false,
  suffix: '',
  namespace: 'one',
  copies: 1,
};

/** What every family of objects goes through, in this order; undefined: nothing is declared. */
export const COMMITS: readonly (readonly [title: string, variation?: Variation])[] = [
  ['add', FIRST],
  ['edit', { ...FIRST, isEdited: true }],
  ['edit back', FIRST],
  ['edit what is immutable', { ...FIRST, isReplaced: true }],
  ['split in two', { ...FIRST, copies: 2 }],
  ['join', FIRST],
  ['rename', { ...FIRST, suffix: '-b' }],
  ['move to another namespace', { ...FIRST, suffix: '-b', namespace: 'two' }],
  ['remove'],
];

/** What a family declares its objects with. */
export interface Stage extends Charts {
  readonly variation: Variation;
  /** The prefix of the run and a name, with the suffix of the variation. */
  name(name: string): string;
  /** The prefix of the run and a name. */
  fixed(name: string): string;
}

/** A disagreement that is not a defect. */
export interface Exception {
  readonly text: RegExp;
  readonly reason: string;
}

/** Objects of kinds that belong together. */
export interface Family {
  readonly title: string;
  /** The products that it needs. @default - both */
  readonly products?: readonly Product[];
  /** Does what controllers do that the lab may lack; returns what ends it. */
  readonly prepare?: (lab: Lab) => Promise<(() => void) | void>;
  /** The objects of all commits but the last, e.g. namespaces. Returns nothing: objects are found by their names. */
  readonly base?: (stage: Stage) => void;
  /** Declares the objects, as often as the variation asks for: `copy` is 0 or 1. */
  readonly declare: (stage: Stage, copy: number) => void;
  /** What users may do after a commit. */
  readonly access?: (
    stage: Pick<Stage, 'name' | 'fixed'>,
    variation?: Variation,
  ) => readonly Question[];
  /** What else is wrong on the servers after a commit; undefined: after the last one. */
  readonly inspect?: (lab: Lab, variation?: Variation) => Promise<readonly string[]>;
  /** IDs of namespaces that hold data of others at the end, and are deleted with it. */
  readonly acceptInUse?: (stage: Pick<Stage, 'fixed'>) => readonly string[];
  /** Commits that make no sense for its kinds. */
  readonly without?: readonly string[];
  readonly options?: CommitOptions;
  readonly exceptions?: readonly Exception[];
}

/** The disagreements that no exception explains. */
export function unexplained(
  wrong: readonly string[],
  exceptions: readonly Exception[] = [],
): string[] {
  return wrong.filter((text) => !exceptions.some((exception) => exception.text.test(text)));
}

/** A stage with the charts of a commit, which fail only where they are used. */
export function stageOf(charts: Charts, names: Omit<Stage, keyof Charts>): Stage {
  return Object.assign(Object.create(charts) as Charts, names);
}

/** Prints how far a scenario is: jest prints the results of a file only at its end. */
function report(what: string, wrong: readonly string[]): void {
  process.stderr.write([`${what}: ${wrong.length} disagreements`, ...wrong, ''].join('\n  '));
}

/** Declares the tests of a family: a walk through all commits, a destroy, and whether nothing is left. */
export function describeFamily(family: Family): void {
  describe(`the family ${family.title}`, () => {
    const { declare, base, access, inspect, without = [], options, exceptions } = family;
    let lab: Lab;
    let walk: Walk;
    let end: (() => void) | void;

    beforeAll(async () => {
      lab = await Lab.open(tempFolder(), family.products);
      end = await family.prepare?.(lab);
      walk = new Walk(lab, family.title);
    });
    afterAll(async () => {
      const left = await lab?.clean();
      end?.();
      lab?.close();
      expect(left).toEqual([]);
    });

    for (const [title, variation] of COMMITS.filter(([each]) => !without.includes(each))) {
      test(title, async () => {
        const names = {
          variation: variation ?? FIRST,
          name: (name: string) => lab.name(name) + (variation?.suffix ?? ''),
          fixed: (name: string) => lab.name(name),
        };
        const commit = (charts: Charts): void => {
          base?.(stageOf(charts, names));
          for (let copy = 0; copy < names.variation.copies; copy++) {
            const name = (each: string) => names.name(copy === 0 ? each : `${each}-2`);
            declare(stageOf(charts, { ...names, name }), copy);
          }
        };
        const wrong = await walk.commit(variation ? commit : () => undefined, {
          pruneMachines: true,
          acceptInUse: family.acceptInUse?.(names),
          ...options,
          access: access?.(names, variation),
        });
        wrong.push(...((await inspect?.(lab, variation)) ?? []));
        report(`${family.title}: ${title}`, wrong);
        expect(unexplained(wrong, exceptions)).toEqual([]);
      });
    }

    test('destroy after another add', async () => {
      const stage = { variation: FIRST, name: lab.name.bind(lab), fixed: lab.name.bind(lab) };
      const wrong = await walk.commit(
        (charts) => {
          base?.(stageOf(charts, stage));
          declare(stageOf(charts, stage), 0);
        },
        { ...options },
      );
      wrong.push(...(await walk.destroy(family.acceptInUse?.(stage))));
      wrong.push(...((await inspect?.(lab)) ?? []));
      report(`${family.title}: destroy`, wrong);
      expect(unexplained(wrong, exceptions)).toEqual([]);
    });
  });
}
