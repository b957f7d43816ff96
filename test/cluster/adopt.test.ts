import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { Client } from './client';
import { ClusterKind, describeCluster } from './clusters';
import { CliEnd, compiledCli } from './doubles/cli-process';
import { Platform } from './doubles/platform';
import { adoptPlatform } from '../../src/adopt/project/run-adopt';
import { kindsOn } from '../../src/adopt/read/live';
import { AdoptUpdate } from '../../src/adopt/update/update';
import { TargetKind } from '../../src/core/construct/target';
import { apiVersionOf } from '../../src/core/kind/kinds';
import { Manifest, objectKey } from '../../src/core/manifest/manifest';
import { loadAssembly } from '../../src/engine/read/load-assembly';
import { ROOT } from '../support/source-library';
import { tempFolder } from '../support/temp';

const EXAMPLES = process.env.EXAMPLES_DIR ?? path.join(ROOT, 'examples');

/** Those that are written for the versions and addresses of the doubles. */
const NAMES = ['reference-stack', 'three-tenants'];

/** The clusters of the examples, and their API servers. */
const TARGETS: { readonly [target: string]: ClusterKind } = {
  rancher: 'rancher',
  dc1: 'harvester',
};

/** Who wrote the objects before they are adopted, in turn. */
const MANAGERS = [
  'rancher',
  'kubectl-client-side-apply',
  'helm',
  'harvester',
  'terraform-provider-harvester',
];

const OURS = 'cdk8s-harvester';

/** The app of the adopted program: another one than that of the objects before. */
const APP = 'adopted';

/** Metadata that changes with the owners of fields, and labels and annotations of this program. */
const OF_OWNERS = /^(?:applyset\.kubernetes\.io|cdk8s-harvester)\//;

describe.each(NAMES)('%s', (name) =>
  describeCluster('adopted on real API servers', () => {
    let platform: Platform;

    beforeAll(async () => {
      platform = await Platform.start({ audit: true });
    });
    afterAll(async () => {
      await platform?.stop();
    });

    beforeAll(async () => {
      const namespace = 'c-m-harvdc01';
      for (const manifest of [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'crt-token-gitops', namespace },
          stringData: { token: 'registration0token1of2three3tenants' },
        },
      ]) {
        expect((await platform.clients.rancher.apply(manifest)).status).toBeLessThan(300);
      }
    });

    test('is a program of what others made, whose apply changes no value', async () => {
      const dist = path.join(EXAMPLES, name, 'dist');
      expect(failureOf(await platform.cli('apply', dist, '--wait', '--timeout', '600'))).toBe('');
      for (const [target, kind] of Object.entries(TARGETS)) {
        await handOver(platform.clients[kind], dist, target);
      }

      const [before, written] = [await stateOf(platform), auditOf(platform)];
      const folder = path.join(tempFolder(), 'platform');
      const adopted = await platform.cli(
        'adopt',
        '--context',
        'rancher=rancher',
        '--context',
        'dc1=dc1',
        '--output-dir',
        folder,
        '--output',
        'json',
      );
      expect(failureOf(adopted)).toBe('');
      const { differences, errors, unread } = JSON.parse(adopted.stdout) as ReturnType<
        typeof adoptPlatform
      >;
      expect({ differences, errors, unread }).toEqual({ differences: [], errors: [], unread: [] });
      // the doubles write at any time
      expect(writesOf(platform, written)).toEqual([]);

      const output = synthesize(folder);
      const plan = await platform.cli('plan', output, '--app', APP);
      const ids = [...plan.stdout.matchAll(/set --accept-existing '([^']+)'/g)].map(([, id]) => id);
      const applied = await platform.cli(
        'apply',
        output,
        '--app',
        APP,
        ...ids.flatMap((id) => ['--accept-existing', id]),
        '--timeout',
        '600',
      );
      expect(failureOf(applied)).toBe('');
      expect(writesOf(platform, written).length).toBeGreaterThan(ids.length);
      expect(changed(before, await stateOf(platform))).toEqual([]);
      expect((await platform.cli('plan', output, '--app', APP)).stdout).toMatch(
        /^plan: \d+ unchanged$/m,
      );

      const since = auditOf(platform);
      const update = await platform.cli(
        'adopt',
        '--update',
        output,
        '--app',
        APP,
        '--output',
        'json',
      );
      const { added, drifted, missing } = JSON.parse(update.stdout) as AdoptUpdate;
      expect({ added, drifted, missing }).toEqual({ added: [], drifted: [], missing: [] });
      expect(failureOf(update)).toBe('');
      // a question what the identity may do is a request to create
      expect(
        writesOf(platform, since).filter(
          ({ requestURI }) => !requestURI.includes('/selfsubjectaccessreviews'),
        ),
      ).toEqual([]);
      expect(platform.problems).toEqual([]);
    });
  }),
);

function failureOf({ exitCode, stdout, stderr }: CliEnd): string {
  return exitCode === 0 ? '' : `exit code ${String(exitCode)}\n${stdout}${stderr}`;
}

/** Rewrites the objects of an output as if others had written them. */
async function handOver(client: Client, dist: string, target: string): Promise<void> {
  const {
    assembly: { objects },
  } = loadAssembly(dist);
  let turn = 0;
  for (const { apiVersion, kind, namespace, name } of objects.filter(
    (object) => object.target === target,
  )) {
    const ref = { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } };
    const { body: live, status } = await client.read(ref);
    if (status === 404) {
      continue;
    }
    const manager = MANAGERS[turn++ % MANAGERS.length];
    const {
      managedFields = [],
      labels,
      annotations,
      ...metadata
    } = live.metadata as Manifest['metadata'] & {
      managedFields?: { manager: string; subresource?: string }[];
    };
    const others = managedFields.map((entry) =>
      entry.manager === OURS ? { ...entry, manager, operation: 'Update' } : entry,
    );
    const answer = await client.request(
      'PUT',
      `${await client.pathOf(ref)}?fieldManager=${manager}`,
      {
        body: {
          ...live,
          metadata: {
            ...metadata,
            labels: withoutOurs(labels),
            annotations: withoutOurs(annotations),
            managedFields: others,
          },
        },
      },
    );
    expect([answer.status, answer.body.message]).toEqual([200, undefined]);
  }
}

function withoutOurs(texts: { readonly [key: string]: unknown } = {}): {
  readonly [key: string]: unknown;
} {
  return Object.fromEntries(Object.entries(texts).filter(([key]) => !OF_OWNERS.test(key)));
}

/** All objects that adopt reads, without what changes with the owners of fields. */
async function stateOf({ clients }: Platform): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  for (const [target, kind] of Object.entries(TARGETS)) {
    for (const { kind: name, ...description } of kindsOn(kind as TargetKind)) {
      const { status, body } = await clients[kind]
        .list(apiVersionOf({ kind: name, ...description }), name)
        .catch(() => ({ status: 404, body: {} }));
      for (const { status: _, metadata: given, ...rest } of status === 200 ? body.items : []) {
        const {
          managedFields: __,
          resourceVersion: ___,
          generation: ____,
          labels,
          annotations,
          ...own
        } = given;
        if (String(own.name).startsWith(`${OURS}-`)) {
          continue;
        }
        const metadata = {
          ...own,
          labels: withoutOurs(labels),
          annotations: withoutOurs(annotations),
        };
        const object = { ...rest, apiVersion: body.apiVersion, kind: name, metadata };
        all.set(`${target} ${objectKey(object as Manifest)}`, JSON.stringify(object));
      }
    }
  }
  return all;
}

function changed(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => before.get(key) !== after.get(key))
    .map((key) => `${key}: ${before.get(key) ?? 'is new'} became ${after.get(key) ?? 'nothing'}`);
}

/** What commands of this library wrote since then. */
function writesOf(platform: Platform, since: readonly unknown[]): ReturnType<typeof auditOf> {
  return auditOf(platform)
    .slice(since.length)
    .filter(({ userAgent }) => userAgent?.startsWith(OURS));
}

/** What was created, changed or deleted so far. */
function auditOf({ planes }: Platform): {
  readonly verb: string;
  readonly userAgent?: string;
  readonly requestURI: string;
}[] {
  return Object.values(TARGETS).flatMap((kind) =>
    fs
      .readFileSync(planes[kind].auditFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { verb, userAgent, requestURI } = JSON.parse(line);
        return { verb, userAgent, requestURI };
      }),
  );
}

/**
 * Runs a written project as `npm run synth` does, with the library of these sources. Returns its
 * output.
 */
function synthesize(folder: string): string {
  const modules = path.join(folder, 'node_modules');
  fs.mkdirSync(modules);
  for (const name of ['cdk8s', 'constructs', 'tsx']) {
    fs.symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name), 'dir');
  }
  fs.symlinkSync(compiledCli(), path.join(modules, 'cdk8s-harvester'), 'dir');
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'main.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  return path.join(folder, 'dist');
}
