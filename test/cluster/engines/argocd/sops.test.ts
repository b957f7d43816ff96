import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import { ArgoCd, ARGO_CD_NAMESPACE, Installation } from './argo-cd';
import {
  ArgoCdDecryption,
  Delivery,
  HarvesterApp,
  HarvesterChart,
  RancherChart,
  SecretDelivery,
} from '../../../../src';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { tempFolder } from '../../../support/temp';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { readManifests } from '../../manifests';
import { enginePath } from '../bed/engine-folder';
import { AgeKey, newAgeKey } from '../bed/secret-tools';

const PASSWORD = 'hunter2-hunter2-hunter2';
const LOGIN: Manifest = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace: 'default' },
  type: 'Opaque',
  stringData: { password: PASSWORD },
};
const PROXY: Manifest = {
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name: 'http-proxy' },
  value: JSON.stringify({ httpProxy: `http://me:${PASSWORD}@proxy.example.com:3128` }),
};
/** Machines of a guest cluster: their user data cannot refer to a Secret. */
const POOL: Manifest = {
  apiVersion: 'rke-machine-config.cattle.io/v1',
  kind: 'HarvesterConfig',
  metadata: { name: 'pool', namespace: 'fleet-default' },
  userData: `#cloud-config\npackages: [qemu-guest-agent]\nruncmd: [systemctl enable --now qemu-guest-agent]\npassword: ${PASSWORD}\n`,
  cpuCount: '4',
  memorySize: '8',
  diskInfo: JSON.stringify({ disks: [{ imageName: 'default/image-x', size: 40, bootOrder: 1 }] }),
  networkInfo: JSON.stringify({ interfaces: [{ networkName: 'default/lan' }] }),
  vmNamespace: 'default',
  sshUser: 'ubuntu',
};
const PLAIN: Manifest = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'motd', namespace: 'default' },
  data: { text: 'welcome' },
};

/** The plugin of the page on Argo CD and secrets, as its sidecar has it. */
function documentedPlugin(): string {
  const page = readFileSync(
    join(__dirname, '..', '..', '..', '..', 'docs', 'argo-cd', 'secrets.md'),
    'utf8',
  );
  return /```yaml\n(apiVersion: argoproj.io\/v1alpha1\nkind: ConfigManagementPlugin\n.*?)```/s.exec(
    page,
  )![1]!;
}

/**
 * A folder with `ksops`: the plugin is not published as a Go module, so a script does what it does
 * with a list of files, by sops itself.
 *
 * @see viaduct-ai/kustomize-sops:ksops.go krm, generate
 */
function ksopsFolder(): string {
  const folder = tempFolder();
  writeFileSync(
    join(folder, 'ksops'),
    `#!${process.execPath}
const { parse, parseAllDocuments, stringify } = require(${JSON.stringify(require.resolve('yaml'))});
const { execFileSync } = require('child_process');
const list = parse(require('fs').readFileSync(0, 'utf8'));
const decrypted = (file) => execFileSync('sops', ['decrypt', file], { encoding: 'utf8' });
const items = list.items.flatMap(({ files }) => files).flatMap((file) => parseAllDocuments(decrypted(file)));
console.log(stringify({ ...list, items: items.map((each) => each.toJS()) }));
`,
  );
  chmodSync(join(folder, 'ksops'), 0o755);
  return folder;
}

/** Writes the output of a program with secrets in three kinds of objects. */
function writeProgram(
  folder: string,
  { recipient }: AgeKey,
  repository: string,
  decryption: ArgoCdDecryption,
): void {
  const app = new HarvesterApp({
    outdir: join(folder, 'dist'),
    printWarnings: false,
    idSalt: 'a-salt-of-the-program',
    delivery: Delivery.argoCd({ repository, revision: 'main', decryption }),
    secrets: SecretDelivery.sops({
      recipients: [recipient],
      program: enginePath('secrets', 'sops'),
    }),
  });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  new ApiObject(rancher, 'pool', POOL as never);
  for (const manifest of [LOGIN, PROXY, PLAIN]) {
    new ApiObject(dc1, manifest.metadata.name, manifest as never);
  }
  app.synth();
}

interface Tool {
  readonly decryption: ArgoCdDecryption;
  readonly installation: (key: AgeKey) => Installation;
}

const TOOLS: { readonly [name: string]: Tool } = {
  'the documented plugin': {
    decryption: ArgoCdDecryption.plugin({ name: 'sops' }),
    installation: ({ identity }) => ({
      plugin: documentedPlugin(),
      tools: [enginePath('secrets')],
      env: { SOPS_AGE_KEY: identity },
    }),
  },
  'KSOPS': {
    decryption: ArgoCdDecryption.ksops(),
    installation: ({ identity }) => ({
      config: { 'kustomize.buildOptions': '--enable-alpha-plugins --enable-exec' },
      tools: [enginePath('secrets'), enginePath('kustomize'), ksopsFolder()],
      env: { SOPS_AGE_KEY: identity },
    }),
  },
};

describeCluster('Argo CD, with what sops encrypted', () => {
  let platform: Platform;
  let argoCd: ArgoCd;

  beforeEach(async () => {
    platform = await Platform.start({ audit: true });
    platform.harvester.isComplete = true;
  });

  afterEach(async () => {
    await argoCd?.stop();
    await platform?.stop();
  });

  test.each(Object.entries(TOOLS))(
    'delivers secrets in plain text with %s, shows them nowhere, and then writes nothing',
    async (_, { decryption, installation }) => {
      const [folder, key] = [tempFolder(), newAgeKey()];
      const { config = {}, ...others } = installation(key);
      argoCd = await ArgoCd.start(platform, { config, ...others });
      await argoCd.connect('harvester', 'dc1');
      writeProgram(folder, key, argoCd.repository, decryption);
      const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(yaml|json)$/.test(file))
        .map((file) => readFileSync(join(folder, file), 'utf8'));
      expect(texts.join()).not.toContain('hunter2');

      argoCd.push(folder);
      await argoCd.apply(
        readManifests(join(folder, 'dist', 'argo-cd')).map((manifest) =>
          manifest.kind === 'ConfigMap'
            ? { ...manifest, data: { ...(manifest.data as object), ...config } }
            : manifest,
        ),
      );
      await argoCd.untilSynced();
      const { harvester, rancher } = platform.clients;
      const { data } = (await harvester.read(LOGIN)).body;
      expect(Buffer.from(data.password as string, 'base64').toString()).toBe(PASSWORD);
      expect((await harvester.read(PROXY)).body.value).toBe(PROXY.value);
      expect((await harvester.read(PLAIN)).body.data).toEqual(PLAIN.data);
      expect((await rancher.read(POOL)).body.userData).toBe(POOL.userData);

      argoCd.forgetWrites();
      const states = await argoCd.refresh();
      expect(states.flatMap(({ outOfSync }) => outOfSync)).toEqual([]);
      expect([...argoCd.writes('harvester'), ...argoCd.writes('rancher')]).toEqual([]);
      const shown = (await rancher.list('argoproj.io/v1alpha1', 'Application', ARGO_CD_NAMESPACE))
        .body;
      expect([argoCd.log, JSON.stringify(shown)].join('\n')).not.toMatch(/hunter2/);
    },
  );
});
