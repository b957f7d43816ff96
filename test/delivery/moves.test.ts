import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import { platform as deliveredPlatform } from './_platform';
import {
  Delivery,
  Ordering,
  OrderingType,
  Finding,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  LateSource,
  LateValue,
  Principal,
  ProjectMember,
  RancherChart,
  Retention,
  TenantProject,
} from '../../src';
import { lintPaths } from '../../src/engine/read/lint';
import { loadAssembly } from '../../src/engine/read/load-assembly';
import { HarvesterSetting } from '../../src/settings';
import { configMap } from '../support/programs';
import { runCli } from '../support/run-cli';
import { tempFolder } from '../support/temp';

interface Change {
  /** Whether the project waits for a Setting, which is delivered later than projects. */
  readonly isLater?: boolean;
  readonly retains?: boolean;
  readonly accepts?: boolean;
  /** The version of Harvester. @default 1.7.2 */
  readonly version?: string;
}

/**
 * A tenant, delivered from a folder; the findings of the comparison with what was there, or the
 * error.
 */
function synth(
  folder: string,
  delivery: Delivery,
  { isLater = false, retains = false, accepts = false, version = '1.7.2' }: Change = {},
): { readonly findings: Finding[]; readonly error: string } {
  const app = new HarvesterApp({ outdir: folder, printWarnings: false, delivery });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version, vip: '10.10.0.10' });
  const cluster = new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
  const ntp = HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org']);
  const project = new TenantProject(rancher, 'payments', {
    cluster,
    members: [ProjectMember.owner(Principal.user('okta_user://ana'))],
  });
  if (isLater) {
    Ordering.of(project).after(ntp, OrderingType.APPLIED);
  }
  if (retains) {
    Retention.of(project).retain();
  }
  if (accepts) {
    app.acceptRemoval('rancher/*', 'the tenant knows');
  }
  let error = '';
  try {
    app.synth();
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  return { findings: app.findings.filter(({ rule }) => rule === 'output/moves-stage'), error };
}

const flux = Delivery.flux({ sourceName: 'platform' });
const seen = ({ findings }: { readonly findings: readonly Finding[] }): string[] =>
  findings.map(
    ({ level, suppressed, object }) => `${suppressed ? 'accepted' : level} ${object!.kind}`,
  );

test.each([
  [
    'Flux',
    flux,
    'Flux deletes it, with its members and quotas, and creates it again, if it reconciles the previous stage first; otherwise it keeps it',
  ],
  [
    'Fleet',
    Delivery.fleet({ repository: 'https://git.example.com/platform.git' }),
    'Fleet deletes it, with its members and quotas, together with the previous stage, also after the new one has created it',
  ],
])(
  'reports what %s does with an object which moves to another stage, and refuses that for tenants',
  (_, delivery, becomes) => {
    const folder = tempFolder();
    expect(synth(folder, delivery).error).toBe('');
    const moved = synth(folder, delivery, { isLater: true });
    expect(seen(moved).sort()).toEqual(['error Project', 'warning ProjectRoleTemplateBinding']);
    expect(moved.findings.find(({ level }) => level === 'error')).toMatchObject({
      target: 'rancher',
      message:
        'Project c-m-juop4lu7/payments moves from stage rancher/projects-c-m-juop4lu7 to rancher/projects-c-m-juop4lu7-after-dc1-settings: ' +
        becomes,
    });
    expect(seen(synth(folder, delivery, { isLater: true, accepts: true })).sort()).toEqual([
      'accepted Project',
      'accepted ProjectRoleTemplateBinding',
    ]);
  },
);

test('finds no move where the version of Harvester changes', () => {
  const folder = tempFolder();
  synth(folder, flux);
  expect(synth(folder, flux, { version: '1.8.2' })).toEqual({ findings: [], error: '' });
});

test('finds no move from stages that were numbered, whose objects the engine keeps', () => {
  const folder = tempFolder();
  synth(folder, flux);
  renameSync(join(folder, 'rancher', 'projects-c-m-juop4lu7'), join(folder, 'rancher-2'));
  const file = join(folder, 'assembly.json');
  writeFileSync(
    file,
    readFileSync(file, 'utf8')
      .replaceAll('rancher/projects-c-m-juop4lu7', 'rancher-2')
      .replaceAll(
        '"folder":"projects-c-m-juop4lu7"',
        '"file":"rancher-2/50-project.management.cattle.io.yaml"',
      ),
  );
  expect(synth(folder, flux)).toEqual({ findings: [], error: '' });
  expect([
    existsSync(join(folder, 'rancher-2')),
    existsSync(join(folder, 'rancher', 'projects-c-m-juop4lu7')),
  ]).toEqual([false, true]);
});

test('accepts the move of an object that was retained before', () => {
  const folder = tempFolder();
  synth(folder, flux, { retains: true });
  expect(synth(folder, flux, { retains: true, isLater: true })).toEqual({
    findings: [],
    error: '',
  });
});

test('accepts all moves for Argo CD, which prunes a target as a whole', () => {
  const argo = Delivery.argoCd({ repository: 'https://git.example.com/platform.git' });
  const folder = tempFolder();
  synth(folder, argo);
  expect(synth(folder, argo, { isLater: true })).toEqual({ findings: [], error: '' });
});

test('reports it in lint --before', async () => {
  const [before, after] = [tempFolder(), tempFolder()];
  synth(before, flux);
  mkdirSync(join(after, 'copy'));
  synth(join(after, 'dist'), flux, { isLater: true });
  cpSync(before, join(after, 'copy'), { recursive: true });
  const { stdout, exitCode } = await runCli(
    'lint',
    join(after, 'dist'),
    '--before',
    join(after, 'copy'),
  );
  expect(stdout).toContain(
    'moves from stage rancher/projects-c-m-juop4lu7 to rancher/projects-c-m-juop4lu7-after-dc1-settings',
  );
  expect(exitCode).toBe(3);
});

describe('an object that moves to another target', () => {
  interface Placed {
    readonly target: string;
    readonly keeps?: boolean;
    readonly hasOther?: boolean;
  }

  const moved = (
    folder: string,
    delivery: Delivery,
    { target, keeps = false, hasOther = true }: Placed,
  ) => {
    const app = new HarvesterApp({ outdir: folder, printWarnings: false, delivery });
    const charts = ['dc1', 'dc2']
      .filter((name) => hasOther || name === target)
      .map((name) => new HarvesterChart(app, name, { version: '1.7.2' }));
    charts.forEach((chart, index) => configMap(chart, `own-${index}`));
    const object = configMap(
      charts.find(({ targetName }) => targetName === target)!,
      'shared',
    );
    if (keeps) {
      Retention.of(object).retain();
    }
    try {
      app.synth();
    } catch {
      /* findings say why */
    }
    return app.findings
      .filter(({ rule }) => rule === 'output/moves-target')
      .map(({ level, message, fix }) => `${level} ${message}. Fix: ${fix}`);
  };

  test('is refused where an engine delivers it, with the two commits to make', () => {
    const folder = tempFolder();
    moved(folder, flux, { target: 'dc1' });
    expect(moved(folder, flux, { target: 'dc2' })).toEqual([
      'error ConfigMap default/shared moves from target dc1 to dc2: the engine deletes it on dc1, and creates another one on dc2, in no certain order. ' +
        'Fix: make two commits: first remove it from dc1, and wait until it is gone there; then declare it on dc2; ' +
        "to let it go, add app.acceptRemoval('dc1//ConfigMap/default/shared', '<why>')",
    ]);
  });

  test('remains on the first cluster if it is kept, or if nothing else is delivered there', () => {
    const [kept, last] = [tempFolder(), tempFolder()];
    moved(kept, flux, { target: 'dc1', keeps: true });
    expect(moved(kept, flux, { target: 'dc2', keeps: true })).toEqual([
      expect.stringContaining('the engine does not delete it on dc1, so both clusters have it'),
    ]);
    moved(last, flux, { target: 'dc1', hasOther: false });
    expect(moved(last, flux, { target: 'dc2', hasOther: false })).toContainEqual(
      expect.stringContaining(
        'ConfigMap default/shared moves from target dc1 to dc2: the engine does not delete it on dc1',
      ),
    );
  });

  test('is none that both clusters had, and that one of them loses', () => {
    const synthOn = (folder: string, targets: readonly string[], late?: string) => {
      const app = new HarvesterApp({ outdir: folder, printWarnings: false, delivery: flux });
      for (const name of ['dc1', 'dc2', 'dc3']) {
        const chart = new HarvesterChart(app, name, { version: '1.7.2' });
        configMap(chart, `own-${name}`);
        const source = LateSource.field('data.key', {
          target: chart,
          apiVersion: 'v1',
          kind: 'ConfigMap',
          namespace: 'default',
          name: 'other',
        });
        const key = () =>
          `${new LateValue(chart, 'value', { description: 'value of another', source })}`;
        if (targets.includes(name)) {
          configMap(chart, 'shared', name === late ? { key: key() } : {});
        }
      }
      try {
        app.synth();
      } catch {
        /* findings say why */
      }
      return app.findings
        .filter(({ rule, object }) => rule.startsWith('output/') && object?.name === 'shared')
        .map(({ rule, target }) => `${rule} ${target}`);
    };
    const after = (before: readonly string[], now: readonly string[], late?: string) => {
      const folder = tempFolder();
      synthOn(folder, before, late);
      return synthOn(folder, now);
    };
    expect(after(['dc1', 'dc2'], ['dc2'])).toEqual(['output/gone dc1']);
    expect(after(['dc1', 'dc2'], ['dc1'])).toEqual(['output/gone dc2']);
    // what no longer waits leaves the stage that waits
    expect(after(['dc1', 'dc2'], ['dc2'], 'dc2')).toEqual([
      'output/gone dc1',
      'output/moves-stage dc2',
    ]);
    expect(after(['dc1', 'dc2'], ['dc2', 'dc3'])).toEqual(['output/moves-target dc1']);
  });

  test('is accepted without an engine: apply deletes and creates it', () => {
    const folder = tempFolder();
    moved(folder, Delivery.none(), { target: 'dc1' });
    expect(moved(folder, Delivery.none(), { target: 'dc2' })).toEqual([]);
  });
});

describe('an object that needs one that waits for a late value now', () => {
  const waiting = (folder: string, isLate: boolean) => {
    const app = new HarvesterApp({ outdir: folder, printWarnings: false, delivery: flux });
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2' });
    const other = {
      target: dc1,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name: 'other',
    };
    const value = isLate
      ? `${new LateValue(dc1, 'value', { description: 'value of another', source: LateSource.field('data.key', other) })}`
      : 'fixed';
    const source = configMap(dc1, 'source', { key: value });
    const pod = new ApiObject(dc1, 'pod', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'pod', namespace: 'default' },
      spec: {
        containers: [{ name: 'a', image: 'a', envFrom: [{ configMapRef: { name: 'source' } }] }],
      },
    });
    Ordering.of(pod).after(source, OrderingType.APPLIED);
    try {
      app.synth();
    } catch {
      /* findings say why */
    }
    return app.findings
      .filter(({ rule }) => rule === 'output/now-waits')
      .map(({ level, message }) => `${level} ${message}`)
      .sort();
  };

  test('remains in its file: its stage waits for the late one', async () => {
    const [folder, later] = [tempFolder(), tempFolder()];
    waiting(folder, false);
    const expected = [
      'warning ConfigMap default/source was in dc1/namespace-default/15-configmap.yaml and is in no file now, as it waits for value of another: an engine that prunes deletes it',
    ];
    waiting(later, true);
    expect(loadAssembly(later).assembly.objects.find(({ kind }) => kind === 'Pod')?.file).toBe(
      'dc1/workloads/50-pod.yaml',
    );
    expect(
      lintPaths([later], { before: [folder] })
        .filter(({ rule }) => rule === 'output/now-waits')
        .map(({ level, message }) => `${level} ${message.replace(`${folder}/`, '')}`)
        .sort(),
    ).toEqual(expected);
    expect(waiting(folder, true)).toEqual(expected);
  });
});

test('judges the file that resolve wrote, not the template of its object as well', () => {
  const { app } = deliveredPlatform(flux);
  app.synth();
  const template = [...loadAssembly(app.outdir).manifests.values()].find(
    ({ metadata: { name } }) => name === 'cluster-registration-url',
  )!;
  const resolved = JSON.stringify(template).replace(
    /\$\{late:[^}]*\}/g,
    'https://rancher.example.com/v3/import/abcdefgh_c-m-juop4lu7.yaml',
  );
  mkdirSync(join(app.outdir, 'dc1', 'late-setting-cluster-registration-url'));
  writeFileSync(
    join(
      app.outdir,
      'dc1',
      'late-setting-cluster-registration-url',
      '12-setting.harvesterhci.io.yaml',
    ),
    resolved,
  );
  const errors = (): string[] =>
    lintPaths([app.outdir], { before: [app.outdir] })
      .filter(({ level }) => level === 'error')
      .map(({ rule }) => rule);
  expect(errors()).toEqual([]);
  writeFileSync(
    join(app.outdir, 'dc1', 'late-setting-cluster-registration-url', 'again.yaml'),
    resolved,
  );
  expect(errors()).toContain('object/duplicate');
});
