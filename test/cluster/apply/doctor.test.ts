import { randomBytes } from 'node:crypto';
import * as path from 'node:path';
import { ApiObject } from 'cdk8s';
import { SecretValue } from '../../../src/core/value/secret-value';
import { HarvesterSetting } from '../../../src/harvester/settings/harvester-setting';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { TokenSource } from '../../../src/rancher/import/registration-token';
import { Diagnosis } from '../../../src/report/doctor/live-world';
import { status } from '../../support/fault-proxy';
import { tempFolder } from '../../support/temp';
import { ObjectRef } from '../client';
import { ClusterKind, describeCluster } from '../clusters';
import { Platform } from '../doubles/platform';
import { writeObjects } from '../doubles/program';

/** What no output may hold. */
const canary = (): string => `canary${randomBytes(12).toString('hex')}`;

const HARVESTER = 'harvesterhci.io/v1beta1';
const MANAGEMENT = 'management.cattle.io/v3';
const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl test@example.com';

const setting = (name: string): ObjectRef => ({
  apiVersion: HARVESTER,
  kind: 'Setting',
  metadata: { name },
});
const keyPair = {
  apiVersion: HARVESTER,
  kind: 'KeyPair',
  metadata: { name: 'ana', namespace: 'default' },
};

describeCluster('status and doctor, as they are called', () => {
  const folder = tempFolder();
  const [token, credential, secretOfToken] = [canary(), canary(), canary()];
  let platform: Platform;
  let dist: string;
  let clusterId: string;

  beforeAll(async () => {
    platform = await Platform.start();
    dist = program('doctor', true);
  });
  afterAll(async () => {
    await platform?.stop();
  });
  afterEach(() => {
    platform.calm();
  });

  /** An import, two Settings and a key pair. */
  function program(name: string, hasKey: boolean): string {
    return writeObjects(folder, name, (dc1, rancher) => {
      clusterId = new HarvesterImport(rancher, 'import', {
        harvester: dc1,
        name: 'dc1',
        registrationToken: TokenSource.value(SecretValue.unsafePlainText(token)),
      }).clusterId;
      HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org']);
      if (hasKey) {
        new ApiObject(dc1, 'key', { ...keyPair, spec: { publicKey: KEY } });
      }
    });
  }

  /** Changes an object as another field manager. */
  async function change(
    kind: ClusterKind,
    object: ObjectRef,
    body: object,
    subresource = '',
  ): Promise<void> {
    const client = platform.clients[kind];
    const answer = await client.request('PATCH', `${await client.pathOf(object)}${subresource}`, {
      contentType: 'application/merge-patch+json',
      query: { fieldManager: 'somebody' },
      body,
    });
    expect(answer).toMatchObject({ status: 200 });
  }

  async function make(
    kind: ClusterKind,
    object: ObjectRef & { readonly [field: string]: unknown },
  ): Promise<void> {
    const { status: code, body } = await platform.clients[kind].request(
      'PATCH',
      await platform.clients[kind].pathOf(object),
      {
        contentType: 'application/apply-patch+yaml',
        query: { fieldManager: 'somebody' },
        body: object,
      },
    );
    expect([code, body.message]).toEqual([201, undefined]);
  }

  async function doctor(): Promise<{ exitCode?: number; diagnoses: Diagnosis[] }> {
    const { stdout, exitCode } = await platform.cli('doctor', dist, '--output', 'json');
    return { exitCode, diagnoses: (JSON.parse(stdout) as { diagnoses: Diagnosis[] }).diagnoses };
  }

  /** Every request that is more than looking. */
  const writes = (): string[] =>
    platform.proxies
      .flatMap(({ requests }) => requests)
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path: at }) => `${method} ${at}`);

  test('reports missing objects in status, and no problems in doctor, before the first apply', async () => {
    const { stdout, exitCode } = await platform.cli('status', dist);
    expect([exitCode, stdout]).toEqual([
      3,
      expect.stringMatching(/^ {2}not there {2}KeyPair default\/ana$/m),
    ]);
    expect(stdout).toMatch(
      /^rancher \(context rancher\): 3 not there; never applied by this app$/m,
    );
    // settings are there without anybody
    expect(stdout).toMatch(
      /^dc1 \(context dc1\): 1 not there, 2 not applied; never applied by this app$/m,
    );
    expect(stdout).toMatch(/^ {2}not applied {2}Setting ntp-servers$/m);
    const examined = await doctor();
    expect(examined.exitCode).toBe(0);
    expect(examined.diagnoses.filter(({ level }) => level === 'error')).toEqual([]);
    expect(examined.diagnoses).toContainEqual(
      expect.objectContaining({
        level: 'info',
        check: 'drift/missing',
        target: 'rancher',
        message: 'nothing of the program exists yet (3 objects)',
      }),
    );
    expect(writes()).toEqual([]);
  });

  test('when all is applied and connected, both are content, and wrote nothing', async () => {
    expect(await platform.cli('apply', dist, '--wait', '--timeout', '600')).toMatchObject({
      exitCode: 0,
    });
    platform.calm();
    const told = await platform.cli('doctor', dist);
    // this Rancher has no UI, and so no extension of it
    expect([told.exitCode, told.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^dc1 \(context dc1\)\nrancher \(context rancher\)\n\nwarning {2}ui-extension\/missing {2}rancher\n/,
      ),
    ]);
    expect(told.stdout).toMatch(/\n1 warning\n$/);
    const { stdout, exitCode } = await platform.cli('status', dist);
    expect([exitCode, stdout]).toEqual([
      0,
      'dc1 (context dc1): 3 ready; 3 in the inventory\nrancher (context rancher): 3 ready; 3 in the inventory\n',
    ]);
    expect((await platform.cli('status', dist, '--all')).stdout).toMatch(
      /^ {2}ready {2}KeyPair default\/ana$/m,
    );
    expect(writes()).toEqual([]);
  });

  test('reports objects that are no longer declared, without a failure', async () => {
    const { stdout, exitCode } = await platform.cli('status', program('doctor-without', false));
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^dc1 \(context dc1\): 1 no longer declared, 2 ready; 3 in the inventory\n {2}no longer declared {2}KeyPair default\/ana$/m,
      ),
    ]);
  });

  test('reports who holds the lock', async () => {
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'cdk8s-harvester-default', namespace: 'kube-system' },
    };
    await make('rancher', {
      ...lease,
      metadata: {
        ...lease.metadata,
        annotations: { 'cdk8s-harvester/holder': 'ci@runner-7 (process 12)' },
      },
      spec: { holderIdentity: 'x', acquireTime: '2026-11-21T02:58:00.000000Z' },
    });
    const { stdout } = await platform.cli('status', dist);
    expect(stdout).toMatch(
      /^ {2}locked by ci@runner-7 \(process 12\) since 2026-11-21T02:58:00.000000Z$/m,
    );
    await platform.clients.rancher.delete(lease);
  });

  describe('when much is wrong at once', () => {
    let found: readonly Diagnosis[];
    let exitCode: number | undefined;

    const of = (check: string): readonly Diagnosis[] =>
      found.filter((diagnosis) => diagnosis.check === check);

    beforeAll(async () => {
      const { clients } = platform;
      // someone else wrote the placeholder instead of the token, and a different NTP server
      await change('harvester', setting('cluster-registration-url'), {
        value: `https://rancher.example.com/v3/import/{token}_${clusterId}.yaml`,
      });
      await change('harvester', setting('ntp-servers'), {
        value: '{"ntpServers":["192.168.0.1"]}',
      });
      expect((await clients.harvester.delete(keyPair)).status).toBe(200);
      // the image of the agent does not come
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'cattle-cluster-agent-1', namespace: 'cattle-system' },
      };
      await make('harvester', {
        ...pod,
        metadata: { ...pod.metadata, labels: { app: 'cattle-cluster-agent' } },
        spec: {
          containers: [{ name: 'cluster-register', image: 'rancher/rancher-agent:v2.13.8' }],
        },
      });
      await change(
        'harvester',
        pod,
        {
          status: {
            containerStatuses: [
              {
                ...{
                  name: 'cluster-register',
                  image: 'rancher/rancher-agent:v2.13.8',
                  imageID: '',
                  ready: false,
                  restartCount: 0,
                },
                state: {
                  waiting: {
                    reason: 'ImagePullBackOff',
                    message: 'Back-off pulling image "rancher/rancher-agent:v2.13.8"',
                  },
                },
              },
            ],
          },
        },
        '/status',
      );
      // a credential whose token has expired: its time to live is one millisecond
      await make('rancher', {
        apiVersion: MANAGEMENT,
        kind: 'Token',
        metadata: { name: 'kubeconfig-u-abc' },
        ...{
          token: secretOfToken,
          ttl: 1,
          userId: 'u-a',
          authProvider: 'local',
          userPrincipal: {},
          isDerived: false,
          expiresAt: '',
        },
      });
      const kubeconfig = {
        kind: 'Config',
        users: [{ name: 'a', user: { token: `kubeconfig-u-abc:${credential}` } }],
      };
      await make('rancher', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'cc-old', namespace: 'cattle-global-data' },
        ...{
          data: {
            'harvestercredentialConfig-kubeconfigContent': Buffer.from(
              JSON.stringify(kubeconfig),
            ).toString('base64'),
          },
        },
      });
      await make('rancher', {
        apiVersion: 'provisioning.cattle.io/v1',
        kind: 'Cluster',
        metadata: {
          name: 'twin',
          namespace: 'fleet-default',
          annotations: { 'provisioning.cattle.io/management-cluster-name': clusterId },
        },
        spec: { cloudCredentialSecretName: 'cattle-global-data:cc-gone' },
      });
      await change(
        'rancher',
        { apiVersion: MANAGEMENT, kind: 'Setting', metadata: { name: 'server-version' } },
        { value: 'v2.12.3' },
      );
      platform.rancher.disconnect();
      const deadline = Date.now() + 300_000;
      do {
        ({ diagnoses: found, exitCode } = await doctor());
      } while (
        of('setting/not-configured').length + of('cluster/duplicate-id').length < 2 &&
        Date.now() < deadline
      );
    });

    test('it is an error', () => {
      expect(exitCode).toBe(3);
    });

    test.each([
      [
        'registration/bad-url',
        'error',
        'dc1',
        'Setting cluster-registration-url',
        'its URL holds the literal {token}',
      ],
      [
        'setting/not-configured',
        'error',
        'dc1',
        'Setting cluster-registration-url',
        'cluster not found or invalid token',
      ],
      ['setting/differs', 'warning', 'dc1', 'Setting ntp-servers', '192.168.0.1'],
      ['drift/missing', 'warning', 'dc1', 'KeyPair default/ana', 'is not there'],
      [
        'agent/image-pull',
        'error',
        'dc1',
        'Pod cattle-system/cattle-cluster-agent-1',
        'cannot pull the image rancher/rancher-agent:v2.13.8',
      ],
      [
        'credential/expires',
        'error',
        'rancher',
        'Secret cattle-global-data/cc-old',
        'its token expired',
      ],
      [
        'credential/missing',
        'error',
        'rancher',
        'Cluster fleet-default/twin',
        'names the cloud credential cc-gone, which does not exist',
      ],
      [
        'credential/unused',
        'info',
        'rancher',
        'Secret cattle-global-data/cc-old',
        'no Cluster uses this cloud credential',
      ],
      [
        'cluster/duplicate-id',
        'error',
        'rancher',
        'Cluster fleet-default/twin',
        'shares the management cluster',
      ],
      ['cluster/not-connected', 'error', 'rancher', 'Cluster c-m-', 'dc1 has lost its connection'],
      [
        'version/not-as-named',
        'error',
        'rancher',
        undefined,
        'runs Rancher 2.12.3, the program names 2.13.8',
      ],
      [
        'version/not-together',
        'warning',
        'dc1',
        undefined,
        'Harvester 1.7.2 is managed by Rancher 2.12.3',
      ],
    ])('%s is found, and what to do about it', (check, level, target, object, message) => {
      expect(of(check)).toContainEqual(
        expect.objectContaining({
          level,
          target,
          message: expect.stringContaining(message),
          fix: expect.stringMatching(/\S/),
          ...(object === undefined ? {} : { object: expect.stringContaining(object) }),
        }),
      );
    });

    test('the text has errors first, each with its fix, and no secret', async () => {
      const { stdout, stderr } = await platform.cli('doctor', dist);
      const levels = stdout
        .split('\n')
        .flatMap((line) => /^(error|warning|info) {2}/.exec(line)?.[1] ?? []);
      expect(levels).toEqual(
        [...levels].sort(
          (a, b) =>
            ['error', 'warning', 'info'].indexOf(a) - ['error', 'warning', 'info'].indexOf(b),
        ),
      );
      expect(stdout.match(/^ {2}fix: /gm)).toHaveLength(levels.length);
      expect(stdout).toMatch(/^\d+ errors, \d+ warnings, \d+ notes?$/m);
      const all = stdout + stderr + JSON.stringify(found);
      for (const secret of [token, credential, secretOfToken]) {
        expect(all).not.toContain(secret);
        expect(all).not.toContain(Buffer.from(secret).toString('base64').slice(0, -4));
      }
    });

    test('without drift, the program is not compared', async () => {
      const { stdout } = await platform.cli('doctor', dist, '--no-drift');
      expect(stdout).toContain('registration/bad-url');
      expect(stdout).not.toMatch(/drift\/|setting\/differs/);
    });

    test('prints the same status as text and as JSON', async () => {
      const { stdout, exitCode: code } = await platform.cli('status', dist);
      expect([code, stdout]).toEqual([
        3,
        expect.stringMatching(
          /^ {2}failing {2}Setting cluster-registration-url: .*cluster not found or invalid token$/m,
        ),
      ]);
      expect(stdout).toMatch(/^ {2}not there {2}KeyPair default\/ana$/m);
      const json = await platform.cli('status', dist, '--output', 'json');
      const { targets } = JSON.parse(json.stdout) as {
        targets: { name: string; applied: number; objects: { object: string; state: string }[] }[];
      };
      expect(targets.find(({ name }) => name === 'dc1')).toMatchObject({
        applied: 3,
        objects: expect.arrayContaining([
          expect.objectContaining({ object: 'KeyPair default/ana', state: 'missing' }),
        ]),
      });
      expect(json.exitCode).toBe(3);
    });

    test('reports a cluster that rejects all credentials, and still reads the other', async () => {
      platform.rancherProxy.fault = () => ({
        kind: 'answer',
        answer: status(401, 'Unauthorized', 'Unauthorized'),
      });
      const { exitCode: code, diagnoses } = await doctor();
      expect(code).toBe(3);
      expect(diagnoses).toContainEqual(
        expect.objectContaining({
          check: 'target/unreachable',
          level: 'error',
          target: 'rancher',
          fix: expect.stringContaining('--context rancher=<context>'),
        }),
      );
      expect(diagnoses).toContainEqual(
        expect.objectContaining({ check: 'agent/image-pull', target: 'dc1' }),
      );
      const { stdout } = await platform.cli('status', dist);
      expect(stdout).toMatch(/^rancher \(context rancher\): not reached: (?!target rancher)/m);
      expect(stdout).toMatch(/^dc1 \(context dc1\): 1 failing, 1 not there/m);
    });
  });

  test('prints why it could not run, with the exit code of a failure', async () => {
    for (const command of ['status', 'doctor']) {
      expect(await platform.cli(command, path.join(folder, 'nowhere'))).toMatchObject({
        exitCode: 1,
        stdout: '',
      });
      expect(await platform.cli(command, dist, '--context', 'dc1=nowhere')).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('its contexts: rancher, dc1'),
      });
    }
  });
});
