import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { Finding } from '../../../src/core/rule/finding';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { newApp } from '../../support/programs';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

interface Program {
  readonly names: readonly string[];
  readonly accepted?: readonly string[];
}

/** Writes namespaces to a folder; what is found about those that leave. */
function synth(
  { names, accepted = [] }: Program,
  outdir = tempFolder(),
): { readonly outdir: string; readonly error: string; readonly left: readonly Finding[] } {
  const app: HarvesterApp = newApp({ outdir });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.8.2' });
  for (const name of names) {
    new HarvesterNamespace(dc1, name);
  }
  for (const each of accepted) {
    app.acceptRemoval(each, 'merged');
  }
  let error = '';
  try {
    app.synth();
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  return { outdir, error, left: app.findings.filter(({ rule }) => rule.startsWith('output/')) };
}

const told = (left: readonly Finding[]): string[] =>
  left.map(
    ({ level, object, path, suppressed }) =>
      `${suppressed ? 'accepted' : level} ${object?.name ?? path}`,
  );

async function lint(now: Program, before: Program): Promise<readonly Finding[]> {
  const { stdout } = await runCli(
    'lint',
    synth(now).outdir,
    '--before',
    synth(before).outdir,
    '--output',
    'json',
  );
  return (JSON.parse(stdout) as { findings: Finding[] }).findings.filter(({ rule }) =>
    rule.startsWith('output/'),
  );
}

const SEARCH = '*search*';

describe('a removal that is accepted by a pattern', () => {
  test('is accepted with the change that the pattern comes with', () => {
    const { outdir } = synth({ names: ['a', 'search', 'search-dev'] });
    const { error, left } = synth({ names: ['a'], accepted: [SEARCH] }, outdir);
    expect([error, told(left)]).toEqual(['', ['accepted search-dev', 'accepted search']]);
  });

  test('is an error where the pattern is in the previous output: no one thought of it', async () => {
    const { outdir } = synth({ names: ['a', 'search', 'research'] });
    synth({ names: ['a', 'research'], accepted: ['*/search'] }, outdir);
    synth({ names: ['a', 'research'], accepted: [SEARCH] }, outdir);
    const { error, left } = synth({ names: ['a'], accepted: [SEARCH] }, outdir);
    expect(told(left)).toEqual(['error research']);
    expect(error).toContain(
      "app.acceptRemoval('*search*') is in the previous output, too, so it accepts nothing more",
    );
    // the ID of the object accepts it
    const named = { names: ['a'], accepted: [SEARCH, 'dc1//Namespace//research'] };
    expect(told(synth(named, outdir).left)).toEqual(['accepted research']);
    const before = { names: ['a', 'research'], accepted: [SEARCH] };
    expect(told(await lint({ names: ['a'], accepted: [SEARCH] }, before))).toEqual([
      'error research',
    ]);
  });

  test('is accepted by the ID of the object also where that was accepted before', () => {
    const accepted = ['dc1//Namespace//search'];
    const { outdir } = synth({ names: ['a', 'search'], accepted });
    expect(told(synth({ names: ['a'], accepted }, outdir).left)).toEqual(['accepted search']);
  });
});

describe('a removal that is accepted by a construct', () => {
  test('includes what is below it, once, and no construct with a longer name', () => {
    const { outdir } = synth({ names: ['a', 'search', 'search-dev'] });
    expect(told(synth({ names: ['a'], accepted: ['dc1/search'] }, outdir).left)).toEqual([
      'error search-dev',
      'accepted search',
    ]);
    const again = synth({ names: ['a', 'search'], accepted: ['dc1/search'] });
    expect(told(synth({ names: ['a'], accepted: ['dc1/search'] }, again.outdir).left)).toEqual([
      'error search',
    ]);
  });

  test('is proposed for more objects than are named one by one', () => {
    const many = Array.from({ length: 6 }, (_, at) => `n${at}`);
    const { outdir } = synth({ names: many });
    const app = newApp({ outdir });
    new HarvesterNamespace(new HarvesterChart(app, 'dc2', { version: '1.8.2' }), 'n0');
    expect(() => app.synth()).toThrow("to let them go, add app.acceptRemoval('dc1', '<why>')");
  });
});

describe('an acceptance that fits nothing', () => {
  const unused = (accepted: string, why: string) =>
    expect.objectContaining({
      rule: 'output/unused-acceptance',
      level: 'warning',
      path: `app.acceptRemoval('${accepted}')`,
      message: why,
    });

  test('is a finding of the synthesis that adds it, and not of later ones', () => {
    const { outdir } = synth({ names: ['a', 'b'] });
    const program = { names: ['a'], accepted: ['dc1//Namespace//b', 'dc1//Namespace//bb'] };
    const { left } = synth(program, outdir);
    expect(left.filter(({ suppressed }) => suppressed === undefined)).toEqual([
      unused('dc1//Namespace//bb', 'fits no object that leaves the output'),
    ]);
    // it is needed until its change is merged
    expect(synth(program, outdir).left).toEqual([]);
    expect(synth(program).left).toEqual([]);
  });

  test('names what it fits and is declared', () => {
    const { outdir } = synth({ names: ['a', 'b'] });
    expect(synth({ names: ['a', 'b'], accepted: ['dc1/*'] }, outdir).left).toEqual([
      unused(
        'dc1/*',
        'fits no object that leaves the output; it fits 2 objects that the program declares: dc1//Namespace//a, dc1//Namespace//b',
      ),
    ]);
  });

  test('is a finding of each later comparison, until the statement is removed', async () => {
    const accepted = ['dc1//Namespace//b'];
    expect(await lint({ names: ['a'], accepted }, { names: ['a', 'b'] })).toEqual([
      expect.objectContaining({ rule: 'output/gone', suppressed: 'merged' }),
    ]);
    expect(await lint({ names: ['a'], accepted }, { names: ['a'], accepted })).toEqual([
      unused(
        'dc1//Namespace//b',
        'is in the previous output, too, and fits no object that leaves now',
      ),
    ]);
  });
});
