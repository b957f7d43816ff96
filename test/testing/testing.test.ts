import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import { platform } from './_platform';
import { HarvesterApp } from '../../src/core/app/harvester-app';
import {
  HarvesterChart,
  HarvesterNamespace,
  SecretDelivery,
  HarvesterTesting,
} from '../../src/index';
import { HarvesterSetting } from '../../src/settings';
import { matchers } from '../../src/testing';
import { fakeSops } from '../support/fake-sops';
import { messageOf } from '../support/message-of';
import { configMap, newApp, newHarvester } from '../support/programs';
import { tempFolder } from '../support/temp';

expect.extend(matchers);

const SECRETS = { OPS_PASSWORD_HASH: '$6$rounds=4096$salt$hash', LICENSE: 'line one\nline two' };

/** A program for a test, after an edit or not. */
function tested(edit = {}): HarvesterApp {
  const app = HarvesterTesting.app();
  platform(app, edit);
  return app;
}

/** The output of the program with its secrets, as it is committed. */
function committed(edit = {}, props = {}): string {
  Object.assign(process.env, SECRETS);
  try {
    const folder = join(tempFolder(), 'dist');
    const app = new HarvesterApp({ outdir: folder, printWarnings: false, ...props });
    platform(app, edit);
    app.synth();
    return folder;
  } finally {
    Object.keys(SECRETS).forEach((name) => {
      delete process.env[name];
    });
  }
}

describe('an app for tests', () => {
  test('needs no secret, and other apps of the process keep theirs', () => {
    const app = tested();
    expect(JSON.stringify(HarvesterTesting.manifests(app))).toContain('placeholder-');
    expect(committed()).toMatch(/dist$/);
    process.env.OPS_PASSWORD_HASH = SECRETS.OPS_PASSWORD_HASH;
    try {
      expect(JSON.stringify(HarvesterTesting.manifests(tested()))).not.toContain('rounds=4096');
    } finally {
      delete process.env.OPS_PASSWORD_HASH;
    }
  });

  test('writes to a folder of its own, and prints no warnings', () => {
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const app = tested();
    app.synth();
    expect(readFileSync(join(app.outdir, 'assembly.json'), 'utf8')).toContain('"targets"');
    expect(app.outdir).not.toBe(tested().outdir);
    expect(write.mock.calls).toEqual([]);
  });

  test('gives its manifests by target, in the order of an apply', () => {
    const { dc1, rancher } = HarvesterTesting.manifests(tested());
    expect(dc1.map(({ kind }: { kind: string }) => kind)).toContain('VirtualMachineImage');
    const kinds: string[] = rancher.map(({ kind }: { kind: string }) => kind);
    expect(kinds.indexOf('HarvesterConfig')).toBeLessThan(kinds.lastIndexOf('Cluster'));
  });

  test('fails with the findings where there are errors', () => {
    const app = HarvesterTesting.app();
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2' });
    HarvesterSetting.ntpServers(dc1, 'a', ['0.pool.ntp.org']);
    HarvesterSetting.ntpServers(dc1, 'b', ['1.pool.ntp.org']);
    expect(() => HarvesterTesting.manifests(app)).toThrow('ntp-servers');
    expect(messageOf(() => expect(app).toHaveNoFindings())).toMatch(
      /^expected no errors, got:\n\nerror .*ntp-servers/,
    );
  });
});

test('synthYaml writes the targets one after the other, each with its name', () => {
  const program = (): HarvesterApp => {
    const app = HarvesterTesting.app();
    for (const [name, site] of [
      ['dc2', 'b'],
      ['dc1', 'a'],
    ]) {
      HarvesterSetting.ntpServers(new HarvesterChart(app, name, { version: '1.7.2' }), 'ntp', [
        `${site}.pool.ntp.org`,
      ]);
    }
    return app;
  };
  const text = program().synthYaml();
  expect(text.split('---\n').map((each) => each.split('\n')[0])).toEqual([
    '# target: dc1',
    '# target: dc2',
  ]);
  expect(text).toContain('a.pool.ntp.org');
  expect(text).toBe(program().synthYaml());
});

describe('what an edit does', () => {
  test('is nothing where the program is the same, although its secrets are placeholders', () => {
    const app = tested();
    const folder = committed();
    expect(app).toReplaceNoMachines(folder);
    expect(HarvesterTesting.impact(app, folder).filter(({ isLoss }) => isLoss)).toEqual([]);
    expect(messageOf(() => expect(app).not.toReplaceNoMachines(folder))).toBe(
      `expected machines of ${folder} to be replaced or deleted, and none is`,
    );
  });

  test.each([
    ['machines of another size', { memory: 16 }, 'replace'],
    ['another package next to a secret', { package: 'htop' }, 'replace'],
    ['fewer machines', { quantity: 1 }, 'delete'],
  ] as const)('is a loss: %s', (_, edit, effect) => {
    const folder = committed();
    const app = tested(edit);
    expect(HarvesterTesting.impact(app, folder)).toContainEqual(
      expect.objectContaining({
        effect,
        isLoss: true,
        object: 'fleet-default/shop',
        pool: 'all',
        target: 'rancher',
      }),
    );
    const message = messageOf(() => expect(app).toReplaceNoMachines(folder));
    expect(message).toContain(`expected no machine of ${folder} to be replaced or deleted:`);
    expect(message).not.toContain('rounds=4096');
  });

  test('is compared with encrypted Secrets as if they were the same', () => {
    const secrets = SecretDelivery.sops({
      recipients: ['age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3'],
      program: fakeSops(tempFolder()),
    });
    const declare = (app: HarvesterApp, namespaces: string[]): HarvesterApp => {
      const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2' });
      new ApiObject(dc1, 'login', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'login', namespace: 'default' },
        stringData: { password: 'horse-battery' },
      });
      for (const name of namespaces) {
        new HarvesterNamespace(dc1, name);
      }
      return app;
    };
    const folder = join(tempFolder(), 'dist');
    declare(new HarvesterApp({ outdir: folder, printWarnings: false, secrets }), [
      'one',
      'two',
    ]).synth();
    expect(
      readdirSync(join(folder, 'dc1')).filter((file) => file.endsWith('.sops.yaml')),
    ).not.toEqual([]);
    expect(declare(HarvesterTesting.app(), ['one', 'two'])).toReplaceNoMachines(folder);
    expect(declare(HarvesterTesting.app(), ['one'])).not.toReplaceNoMachines(folder);
    // whether machines are replaced cannot be seen where their configuration is encrypted
    const hidden = committed({}, { secrets });
    expect(
      HarvesterTesting.impact(tested(), hidden).map(({ effect, what }) => [effect, what]),
    ).toEqual([
      ['unknown', 'cannot be compared: a value is encrypted, and there is no private key here'],
    ]);
    expect(tested()).not.toReplaceNoMachines(hidden);
  });

  test('needs a previous output', () => {
    const folder = tempFolder();
    expect(() => HarvesterTesting.impact(tested(), folder)).toThrow(
      `${folder}: must be the folder of a previous output, and has no assembly.json. Fix: synthesize the program once, and commit the folder`,
    );
  });
});

describe('toDeclare', () => {
  test('finds an object with these fields', () => {
    expect(tested()).toDeclare({
      kind: 'VirtualMachineImage',
      spec: { url: expect.stringContaining('noble') },
    });
    expect(tested()).toDeclare({ kind: 'Project' }, { target: 'rancher' });
    expect(tested()).not.toDeclare({ kind: 'Project' }, { target: 'dc1' });
  });

  test('reports how the most similar object differs', () => {
    expect(
      messageOf(() =>
        expect(tested()).toDeclare({ kind: 'Project', spec: { displayName: 'other' } }),
      ),
    ).toMatch(
      /^expected an object of kind Project with these fields; Project \S+ on rancher differs:\n {2}spec\.displayName: must be "other", got "shop-project"$/,
    );
    expect(
      messageOf(() => expect(tested()).toDeclare({ kind: 'IPPool' }, { target: 'dc1' })),
    ).toContain('expected an object of kind IPPool on dc1, got none; the program declares ');
    expect(messageOf(() => expect(tested()).not.toDeclare({ kind: 'Project' }))).toMatch(
      /^expected no object of kind Project with these fields, got Project /,
    );
  });
});

test('matchers refuse what is not a program', () => {
  expect(messageOf(() => expect(5).toHaveNoFindings())).toContain(
    'toHaveNoFindings: expects a HarvesterApp, or the output folder of one',
  );
  expect(messageOf(() => expect('dist').toDeclare({ kind: 'Project' }))).toContain(
    'toDeclare: expects a HarvesterApp, got a folder',
  );
});

test('toDeclare compares with the object of that name, and lists the targets', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  configMap(dc1, 'near', { a: '1', b: '2' });
  configMap(dc1, 'named', { a: '3' });
  const expected = { kind: 'ConfigMap', metadata: { name: 'named' }, data: { a: '1', b: '2' } };
  expect(() => expect(app).toDeclare(expected)).toThrow(/ConfigMap default\/named on dc1 differs/);
  expect(() => expect(app).toDeclare(expected, { target: 'dc2' })).toThrow(
    'toDeclare: target must be one of dc1, got dc2',
  );
});
