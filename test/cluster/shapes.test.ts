import { Answer, Client } from './client';
import { clientOf, describeCluster } from './clusters';
import { installedShape } from './definitions';
import { Manifest } from '../../src/core/manifest/manifest';
import { Finding } from '../../src/core/rule/finding';
import { judge } from '../../src/core/rule/judge';
import { World } from '../../src/core/rule/rule';
import { compareShape } from '../../src/core/shape/compare-shape';
import { knownKinds, readShape, rootNode } from '../../src/core/shape/shape-node';
import { SHAPE_RULES } from '../../src/core/shape/shape.rules';
import { rootSchema } from '../support/definition-of';
import { fc } from '../support/properties';
import { objectsOf } from '../support/schema-objects';

const namespace = 'shapes-test';

function object(apiVersion: string, kind: string, fields: object): Manifest {
  return { apiVersion, kind, metadata: { name: 'one', namespace }, ...fields };
}

const provisioning = (fields: object) => object('provisioning.cattle.io/v1', 'Cluster', fields);
const rke = (rkeConfig: unknown) => provisioning({ spec: { rkeConfig } });
const token = (fields: object) =>
  object('management.cattle.io/v3', 'ClusterRegistrationToken', fields);
const config = (fields: object) =>
  object('rke-machine-config.cattle.io/v1', 'HarvesterConfig', fields);
const setting = (fields: object) => ({
  apiVersion: 'management.cattle.io/v3',
  kind: 'Setting',
  metadata: { name: 'one' },
  ...fields,
});
const harvesterSetting = (fields: object) => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name: 'one' },
  ...fields,
});
const cloudInit = (fields: object) => ({
  apiVersion: 'node.harvesterhci.io/v1beta1',
  kind: 'CloudInit',
  metadata: { name: 'one' },
  ...fields,
});

const oidcClient = (spec: object): Manifest => ({
  apiVersion: 'management.cattle.io/v3',
  kind: 'OIDCClient',
  metadata: { name: 'one' },
  spec: {
    redirectURIs: ['https://a'],
    tokenExpirationSeconds: 600,
    refreshTokenExpirationSeconds: 600,
    ...spec,
  },
});
const driver = (spec: object): Manifest => ({
  apiVersion: 'management.cattle.io/v3',
  kind: 'NodeDriver',
  metadata: { name: 'one' },
  spec: {
    active: true,
    addCloudCredential: true,
    builtin: false,
    description: '',
    displayName: 'a',
    externalId: '',
    uiUrl: '',
    url: 'https://a',
    ...spec,
  },
});
const network = (spec: object): Manifest => ({
  apiVersion: 'network.harvesterhci.io/v1beta1',
  kind: 'HostNetworkConfig',
  metadata: { name: 'one' },
  spec: { clusterNetwork: 'mgmt', ...spec },
});
const schedule = (spec: object): Manifest =>
  object('harvesterhci.io/v1beta1', 'ScheduleVMBackup', {
    spec: {
      cron: '0 0 * * *',
      vmbackup: { source: { name: 'a', kind: 'VirtualMachine' } },
      ...spec,
    },
  });

const pool = (spec: object) => ({
  apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
  kind: 'IPPool',
  metadata: { name: 'one' },
  spec,
});
const balancer = (spec: object) =>
  object('loadbalancer.harvesterhci.io/v1beta1', 'LoadBalancer', { spec });

function findings(manifest: Manifest, kind: 'rancher' | 'harvester'): Finding[] {
  const target = { name: kind, kind, ...(kind === 'rancher' && { rancherVersion: '2.13.8' }) };
  return judge(SHAPE_RULES, new World([{ manifest, target }]));
}

// of each kind
const SAMPLES = 100;

/** The words that a finding quotes. */
function saysOf({ message }: Finding): string {
  return /\(the server: "(.*)"\)$/.exec(message)![1];
}

/**
 * Creates, without leaving anything: `Ignore` is what a server does by itself, `Strict` what
 * kubectl asks.
 */
async function create(
  client: Client,
  manifest: Manifest,
  fieldValidation: 'Ignore' | 'Strict',
): Promise<Answer> {
  const path = (await client.pathOf(manifest)).replace(/\/[^/]+$/, '');
  return client.request('POST', path, {
    query: { dryRun: 'All', fieldValidation },
    body: manifest,
  });
}

const POOL = { name: 'a', machineConfigRef: { kind: 'HarvesterConfig', name: 'a' } };

const SAID: Manifest[] = [
  provisioning({ spec: 'x' }),
  rke('x'),
  rke({ machinePools: { a: 1 } }),
  rke({ upgradeStrategy: { controlPlaneConcurrency: 1 } }),
  rke({ etcd: { snapshotRetention: '5' } }),
  rke({ etcd: { snapshotRetention: 5.5 } }),
  provisioning({ spec: { localClusterAuthEndpoint: { enabled: 'true' } } }),
  provisioning({ spec: { cloudCredentialSecretName: 5 } }),
  provisioning({ spec: { clusterAgentDeploymentCustomization: [] } }),
  provisioning({ foo: 1 }),
  provisioning({ spec: { foo: null } }),
  provisioning({ spec: { webhookDeploymentCustomization: 5 } }),
  rke({ machinePools: [{ ...POOL, userdata: {} }] }),
  rke({ machinePools: [{ ...POOL, hostnamePrefix: 'x' }] }),
  rke({ machinePools: [{ ...POOL, labels: { 'a.b/c': 1 } }] }),
  rke({ etcd: { s3: { retention: 1 } } }),
  rke({ machinePools: [{ ...POOL, rollingUpdate: { maxSurge: true } }] }),
  rke({ registries: { configs: { 'a:5000': { tlsSecretName: 1, x: 1 } } } }),
  rke({
    machinePools: null,
    provisionGeneration: null,
    etcd: null,
    dataDirectories: null,
    machinePoolDefaults: null,
  }),
  rke({ upgradeStrategy: { workerDrainOptions: null } }),
  rke({ machinePools: [{ ...POOL, paused: null, labels: { a: null } }] }),
  provisioning({ spec: null }),
  rke({ provisionGeneration: 1e3 }),
  token({ spec: { tokenName: 'x' } }),
  token({ spec: { ttl: '60' } }),
  token({ spec: { clusterName: null } }),
  setting({ spec: { value: 'x' } }),
  setting({ value: 5 }),
  setting({ value: null, customized: null }),
  setting({ constructor: 1 }),
  config({ cpuCount: 4 }),
  config({ cpus: '4' }),
  config({ spec: {} }),
  config({ enableEfi: 'true' }),
  config({ common: { labels: {} } }),
  config({ cpuCount: null }),
  rke({ machinePools: [{ ...POOL, quantity: -1 }] }),
  rke({ machinePools: [{ ...POOL, quantity: 0, hostnameLengthLimit: 64 }] }),
  rke({ machinePools: [{ ...POOL, name: '' }] }),
  rke({ machinePools: [{ ...POOL, hostnameLengthLimit: 63 }] }),
  rke({ machinePools: [{ ...POOL, autoscalingMinSize: 2, autoscalingMaxSize: 1 }] }),
  rke({ machinePools: [{ ...POOL, autoscalingMinSize: 2 }] }),
  rke({
    machinePools: [{ ...POOL, autoscalingMinSize: 0, autoscalingMaxSize: 1, etcdRole: true }],
  }),
  rke({ machinePools: [{ ...POOL, autoscalingMinSize: 0, autoscalingMaxSize: null }] }),
  rke({ etcd: { s3: { bucket: 'ä'.repeat(63) } } }),
  rke({ etcd: { s3: { bucket: 'a'.repeat(64) } } }),
  rke({
    machinePools: Array.from({ length: 1001 }, (_, index) => ({ ...POOL, name: `a${index}` })),
  }),
  oidcClient({ tokenExpirationSeconds: 0 }),
  oidcClient({ tokenExpirationSeconds: 1 }),
  driver({ checksum: 'zz' }),
  driver({ checksum: 'a'.repeat(33) }),
  driver({ checksum: 'a'.repeat(32) }),
  driver({ displayName: 'a'.repeat(58) }),
];

const SAID_OF_HARVESTER: Manifest[] = [
  harvesterSetting({ value: 5 }),
  harvesterSetting({ spec: {} }),
  harvesterSetting({ value: null }),
  harvesterSetting({ status: { x: 1 } }),
  cloudInit({ spec: { contents: 'a', filename: 'b', matchSelector: [] } }),
  cloudInit({ spec: { contents: 'a', filename: 'b', matchSelector: {}, x: 1 } }),
  pool({ ranges: [{ subnet: '10.0.0.0/24', start: 'x' }] }),
  pool({ ranges: [], selector: { scope: {}, labels: {} } }),
  network({ mode: 'static', vlanID: 0 }),
  network({ mode: 'static', vlanID: 4095, ips: {} }),
  network({ mode: 'static', vlanID: 1, ips: { a: '10.0.0.1' } }),
  network({ mode: 'static', vlanID: 1, ips: { a: '10.0.0.1/24', b: 'fd00::1/64', c: null } }),
  network({ mode: 'dhcp', vlanID: 4094 }),
  schedule({ retain: 1 }),
  schedule({ retain: 251 }),
  schedule({ maxFailure: 1 }),
  schedule({ retain: 2, maxFailure: 2 }),
  balancer({ listeners: [{ port: '80', protocol: 'TCP', backendPort: 80 }] }),
  balancer({ backendServerSelector: { a: 'b' } }),
];

/**
 * The errors of the server about the structure of an object: unknown fields, types, required
 * fields, values of a list, limits. Formats are values, too.
 */
function structureProblems({ status, body }: Answer): string[] {
  if (status === 400) {
    return [body.message];
  }
  const causes: readonly {
    readonly reason: string;
    readonly message: string;
    readonly field: string;
  }[] = body.details?.causes ?? [];
  return causes
    .filter(({ reason, message }) => STRUCTURE.includes(reason) && !FORMATTED.test(message))
    .map(({ field, message }) => `${field}: ${message}`);
}

const STRUCTURE = [
  'FieldValueTypeInvalid',
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueDuplicate',
  'FieldValueInvalid',
  'FieldValueTooLong',
  'FieldValueTooMany',
];
// the server judges rules in CEL only where no error of these kinds is found
const BLOCKING = /Required value|Too long|Too many|Unsupported value|must be of type/;
const LIMIT = / in body should be (?:greater|less) than or equal to /;
const RULE = /: Invalid value: "(?:object|string|boolean)": (?!.* in body )/;
const FORMATTED = /must be of type date-time:/;

for (const kind of ['rancher', 'harvester'] as const) {
  describeCluster(`the shapes of ${kind}'s kinds and the server`, () => {
    let client: Client;

    beforeAll(async () => {
      client = clientOf(kind);
      await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    });

    test('agree on objects that people get wrong, in the same words', async () => {
      for (const manifest of kind === 'rancher' ? SAID : SAID_OF_HARVESTER) {
        // a create drops null, which the rule is not about: server-side apply keeps it
        const found = findings(manifest, kind).filter(({ rule }) => rule !== 'object/null-field');
        const errors = found.filter(({ level }) => level === 'error');
        const lax = await create(client, manifest, 'Ignore');
        const strict = await create(client, manifest, 'Strict');
        expect({ manifest, lax: errors.length > 0, strict: found.length > 0 }).toEqual({
          manifest,
          lax: lax.status >= 300,
          strict: strict.status >= 300,
        });
        for (const error of errors) {
          expect(lax.body.message).toContain(saysOf(error));
        }
      }
    });

    // KubeVirt's definitions on the server are made from its client library, which has no limits of
    // numbers; all others are made from the shapes
    const isLimited = (name: string): boolean => !name.startsWith('kubevirt.io/');
    const kinds = [...knownKinds()].filter(([, { product }]) => product === kind);

    test.each(kinds)('agree on generated objects: %s', async (name, known) => {
      const [group, version, kindName] = name.split('/');
      const { file } = installedShape(known);
      const node = rootNode(readShape(file), known.status);
      const objects = fc.sample(objectsOf(rootSchema(readShape(file)), 3), {
        numRuns: SAMPLES,
        seed: 1,
      });
      const verdicts = await Promise.all(
        objects.map(async ({ status, ...fields }) => {
          const metadata = { name: 'one', ...(known.scope === 'Namespaced' && { namespace }) };
          const written = { ...fields, ...(!known.status && status !== undefined && { status }) };
          const manifest: Manifest = {
            ...written,
            apiVersion: `${group}/${version}`,
            kind: kindName,
            metadata,
          };
          const { mismatches, unknown, missing, others, repeated, broken } = compareShape(
            node,
            manifest,
          );
          const typed = mismatches.filter(({ format }) => format !== 'date-time');
          const limits = broken.filter(({ value }) => isLimited(name) || typeof value !== 'number');
          const ours = [...typed, ...unknown, ...missing, ...others, ...repeated, ...limits];
          const answer = await create(client, manifest, 'Strict');
          const errors =
            answer.status === 422
              ? findings(manifest, kind).filter(({ level }) => level === 'error')
              : [];
          const isBlocked = BLOCKING.test(answer.body.message as string);
          const otherWords = errors
            .map(saysOf)
            .filter(
              (words) =>
                !words.includes('…') &&
                (isLimited(name) || !LIMIT.test(words)) &&
                !(isBlocked && RULE.test(words)) &&
                !answer.body.message.includes(words),
            );
          return { manifest, ours, theirs: structureProblems(answer), otherWords };
        }),
      );
      expect(verdicts.filter(({ otherWords }) => otherWords.length > 0)).toEqual([]);
      expect(verdicts.filter(({ ours, theirs }) => ours.length > 0 !== theirs.length > 0)).toEqual(
        [],
      );
    });
  });
}
