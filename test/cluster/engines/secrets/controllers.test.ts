import { execFileSync } from 'child_process';
import { readFileSync, writeFileSync } from 'fs';
import { delimiter, dirname, join } from 'path';
import { ApiObject } from 'cdk8s';
import { HarvesterApp, HarvesterChart, SecretDelivery, SecretValue } from '../../../../src';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { readYaml } from '../../../../src/core/yaml/yaml-reader';
import { printed } from '../../../delivery/secret/_outputs';
import { Authority } from '../../../support/authority';
import { tempFolder } from '../../../support/temp';
import { WatchEvent } from '../../client';
import { describeCluster } from '../../clusters';
import { installDefinitions } from '../../definitions';
import { Platform, VIP } from '../../doubles/platform';
import { enginePath } from '../bed/engine-folder';

/* Stand-ins do what both controllers do; the API server, its definitions, and kubeseal are real. */
describeCluster('an apply of SealedSecrets and ExternalSecrets', () => {
  const folder = tempFolder();
  const environment = { ...process.env };
  const { cert, key } = new Authority().issue({ rsa: true });
  const dist = join(folder, 'dist');
  let platform: Platform;

  beforeAll(async () => {
    process.env.PATH = [dirname(enginePath('secrets', 'kubeseal')), environment.PATH].join(
      delimiter,
    );
    Object.assign(process.env, { PASSWORD: 'correct horse', MAP: 'battery staple' });
    platform = await Platform.start();
    const definitions = [
      'bitnami.com_sealedsecrets.yaml',
      'external-secrets.io_externalsecrets.yaml',
    ].map((file) => readYaml(readFileSync(enginePath('definitions', file), 'utf8'))[0]);
    await installDefinitions(platform.clients.harvester, definitions as Manifest[]);
    writeProgram();
  });
  afterAll(async () => {
    process.env = environment;
    await platform?.stop();
  });

  function writeProgram(): void {
    const app = new HarvesterApp({
      outdir: dist,
      secrets: SecretDelivery.sealedSecrets({ certificate: cert }),
    });
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: VIP });
    const secret = (name: string): ApiObject =>
      new ApiObject(dc1, name, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name,
          namespace: 'default',
          labels: { app: 'shop' },
          annotations: { 'example.com/format': '{{ x }}' },
        },
        type: 'Opaque',
        immutable: true,
        stringData: { password: SecretValue.fromEnv('PASSWORD').token },
      });
    secret('sealed');
    SecretDelivery.of(secret('external')).use(SecretDelivery.externalSecrets({ store: 'vault' }));
    for (const name of ['sealed', 'external']) {
      new ApiObject(dc1, `${name}-user`, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: `${name}-user`, namespace: 'default' },
        imagePullSecrets: [{ name }],
      } as never);
    }
    new ApiObject(dc1, 'map', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'map', namespace: 'default' },
      data: { config: JSON.stringify({ password: `${SecretValue.fromEnv('MAP')}` }) },
    });
    printed(() => {
      app.synth();
    });
  }

  const at = async (kind: string, name: string): Promise<{ status: number; body: any }> =>
    platform.clients.harvester.get(`/api/v1/namespaces/default/${kind}/${name}`);

  /** What the controllers do once they are there. */
  async function control(): Promise<() => void> {
    const client = platform.clients.harvester;
    const finish = async (
      object: WatchEvent['object'],
      made: object,
      status: object,
    ): Promise<void> => {
      const { name, namespace } = object.metadata;
      const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
      await client.request('PATCH', path, {
        contentType: 'application/apply-patch+yaml',
        query: { fieldManager: 'controller', force: 'true' },
        body: made,
      });
      await client.request('PATCH', `${await client.pathOf(object)}/status`, {
        contentType: 'application/merge-patch+json',
        body: { status },
      });
    };
    const owner = ({
      apiVersion,
      kind,
      metadata: { name, uid },
    }: WatchEvent['object']): object[] => [
      { apiVersion, kind, name, uid: uid as string, controller: true },
    ];
    const once =
      (act: (object: WatchEvent['object']) => Promise<void>) =>
      ({ type, object }: WatchEvent): void => {
        if (
          type !== 'DELETED' &&
          !(object as { status?: { conditions?: unknown } }).status?.conditions
        ) {
          void act(object);
        }
      };
    const stops = [
      await client.watch(
        'bitnami.com/v1alpha1',
        'SealedSecret',
        once(async (object) => {
          const secret = JSON.parse(
            execFileSync('kubeseal', ['--recovery-unseal', '--recovery-private-key', keyFile()], {
              input: JSON.stringify(object),
              encoding: 'utf8',
              stdio: ['pipe', 'pipe', 'ignore'],
              env: process.env,
            }),
          ) as Manifest;
          const { name, namespace, labels, annotations } = secret.metadata;
          await finish(
            object,
            {
              ...secret,
              metadata: { name, namespace, labels, annotations, ownerReferences: owner(object) },
            },
            {
              observedGeneration: object.metadata.generation,
              conditions: [{ type: 'Synced', status: 'True' }],
            },
          );
        }),
      ),
      await client.watch(
        'external-secrets.io/v1',
        'ExternalSecret',
        once(async (object) => {
          const {
            metadata: { name, namespace },
            spec: {
              target: { template, immutable },
            },
          } = object;
          const data = { password: Buffer.from('of the store').toString('base64') };
          await finish(
            object,
            {
              apiVersion: 'v1',
              kind: 'Secret',
              type: template.type,
              immutable,
              data,
              metadata: { name, namespace, ...template.metadata, ownerReferences: owner(object) },
            },
            {
              syncedResourceVersion: `${object.metadata.generation as number}-0`,
              conditions: [{ type: 'Ready', status: 'True' }],
            },
          );
        }),
      ),
    ];
    return () => {
      stops.forEach((stop) => {
        stop();
      });
    };
  }

  const keyFile = (): string => {
    const file = join(folder, 'key.pem');
    writeFileSync(file, key);
    return file;
  };

  test('is accepted by the API server with strict validation, and waits for the controllers', async () => {
    const { stdout, exitCode } = await platform.cli('apply', dist, '--timeout', '8');
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      'failed     dc1/bitnami.com/SealedSecret/default/sealed (dc1/sealed): not ready after 8 s: has no condition Synced yet',
    );
    expect(stdout).toContain(
      'failed     dc1/external-secrets.io/ExternalSecret/default/external (dc1/external): not ready after 8 s: has no condition Ready yet',
    );
    for (const kind of [
      'apis/bitnami.com/v1alpha1/namespaces/default/sealedsecrets/sealed',
      'apis/external-secrets.io/v1/namespaces/default/externalsecrets/external',
    ]) {
      expect((await platform.clients.harvester.get(`/${kind}`)).status).toBe(200);
    }
    // what refers to the Secrets is not there yet
    expect([
      (await at('serviceaccounts', 'sealed-user')).status,
      (await at('serviceaccounts', 'external-user')).status,
    ]).toEqual([404, 404]);
  });

  test('ends with the Secrets that the controllers make, and with what only apply writes', async () => {
    const stop = await control();
    try {
      expect(await platform.cli('apply', dist, '--timeout', '600')).toMatchObject({ exitCode: 0 });
    } finally {
      stop();
    }
    const {
      body: {
        data,
        type,
        immutable,
        metadata: { labels, annotations },
      },
    } = await at('secrets', 'sealed');
    expect({ data, type, immutable, labels, annotations }).toEqual({
      data: { password: Buffer.from('correct horse').toString('base64') },
      type: 'Opaque',
      immutable: true,
      labels: { app: 'shop' },
      annotations: { 'example.com/format': '{{ x }}' },
    });
    expect((await at('serviceaccounts', 'sealed-user')).status).toBe(200);
    expect((await at('serviceaccounts', 'external-user')).status).toBe(200);
    expect((await at('configmaps', 'map')).body.data).toEqual({
      config: '{"password":"battery staple"}',
    });
  });

  test('comes to rest, and leaves nothing behind', async () => {
    expect(await platform.cli('plan', dist)).toMatchObject({ exitCode: 0 });
    expect((await platform.cli('status', dist)).stdout).toContain('5 ready');
    expect(await platform.cli('destroy', dist, '--yes', '--timeout', '600')).toMatchObject({
      exitCode: 0,
    });
    expect(
      (await platform.clients.harvester.list('bitnami.com/v1alpha1', 'SealedSecret')).body.items,
    ).toEqual([]);
    expect(
      (await platform.clients.harvester.list('external-secrets.io/v1', 'ExternalSecret')).body
        .items,
    ).toEqual([]);
  });
});
