import { Client } from './client';
import { clientOf, describeCluster } from './clusters';
import { Manifest, isRecord } from '../../src/core/manifest/manifest';
import { Finding } from '../../src/core/rule/finding';
import { judge } from '../../src/core/rule/judge';
import { World } from '../../src/core/rule/rule';
import { SHAPE_RULES } from '../../src/core/shape/shapes.rules';

const namespace = 'shapes-test';

function object(apiVersion: string, kind: string, fields: object): Manifest {
  return { apiVersion, kind, metadata: { name: 'one', namespace }, ...fields };
}

const provisioning = (fields: object) => object('provisioning.cattle.io/v1', 'Cluster', fields);
const rke = (rkeConfig: unknown) => provisioning({ spec: { rkeConfig } });
const token = (fields: object) => object('management.cattle.io/v3', 'ClusterRegistrationToken', fields);
const config = (fields: object) => object('rke-machine-config.cattle.io/v1', 'HarvesterConfig', fields);
const setting = (fields: object) => ({ apiVersion: 'management.cattle.io/v3', kind: 'Setting', metadata: { name: 'one' }, ...fields });
const harvesterSetting = (fields: object) => ({ apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name: 'one' }, ...fields });
const cloudInit = (fields: object) => ({ apiVersion: 'node.harvesterhci.io/v1beta1', kind: 'CloudInit', metadata: { name: 'one' }, ...fields });

const pool = (spec: object) => ({ apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'IPPool', metadata: { name: 'one' }, spec });
const balancer = (spec: object) => object('loadbalancer.harvesterhci.io/v1beta1', 'LoadBalancer', { spec });

function findings(manifest: Manifest, kind: 'rancher' | 'harvester'): Finding[] {
  const target = { name: kind, kind, ...(kind === 'rancher' && { rancherVersion: '2.13.8' }) };
  return judge(SHAPE_RULES, new World([{ manifest, target }]));
}

/** Items that are null stay, formats are not ours; what else a server refuses are values, not types. */
const WRONG_TYPE = /in body must be of type (?!\w+: "null"|byte|date-time)/;

/** Affinities are Kubernetes' own, and texts with a format are taken as any: the shape ends there. */
const UNKNOWN = /unknown field "(?!.*(Affinity|timeAdded|caBundle)\.)/;

/** The words that a finding quotes. */
function saysOf({ message }: Finding): string {
  return /\(the server: "(.*)"\)$/.exec(message)![1];
}

/** Creates, without leaving anything: `Ignore` is what a server does by itself, `Strict` what kubectl asks. */
async function create(client: Client, manifest: Manifest, fieldValidation: 'Ignore' | 'Strict'): Promise<{ refused: boolean; message: string }> {
  const path = (await client.pathOf(manifest)).replace(/\/[^/]+$/, '');
  const { status, body } = await client.request('POST', path, { query: { dryRun: 'All', fieldValidation }, body: manifest });
  return { refused: status >= 300, message: status >= 300 ? body.message : '' };
}

const POOL = { name: 'a', machineConfigRef: { kind: 'HarvesterConfig', name: 'a' } };
const deployment = {
  appendTolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', value: 'x', tolerationSeconds: 1 }],
  overrideAffinity: { nodeAffinity: {}, podAffinity: {}, podAntiAffinity: {} },
  overrideResourceRequirements: { limits: { cpu: 1, memory: '1Gi' }, requests: { cpu: '1' }, claims: [{ name: 'a', request: 'b' }] },
  schedulingCustomization: {
    podDisruptionBudget: { minAvailable: '1', maxUnavailable: '0' },
    priorityClass: { value: 1, preemptionPolicy: 'Never' },
  },
};
const drain = {
  deleteEmptyDirData: true,
  disableEviction: true,
  enabled: true,
  force: true,
  gracePeriod: 1,
  ignoreDaemonSets: true,
  ignoreErrors: true,
  postDrainHooks: [{ annotation: 'a' }],
  preDrainHooks: [{ annotation: 'a' }],
  skipWaitForDeleteTimeoutSeconds: 1,
  timeout: 1,
};
const selector = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] };
const source = { name: 'a', defaultPermissions: '0600', items: [{ key: 'a', path: '/a', dynamic: true, permissions: '0600', hash: 'x' }] };

/** A good object of each kind with nearly every field. */
const COMPLETE: { readonly rancher: Manifest[]; readonly harvester: Manifest[] } = {
  rancher: [
    provisioning({
      spec: {
        agentEnvVars: [{ name: 'A', value: 'b' }],
        cloudCredentialSecretName: 'a',
        clusterAPIConfig: { clusterName: 'a' },
        clusterAgentDeploymentCustomization: deployment,
        fleetAgentDeploymentCustomization: deployment,
        defaultClusterRoleForProjectMembers: 'a',
        defaultPodSecurityAdmissionConfigurationTemplateName: 'a',
        enableNetworkPolicy: true,
        kubernetesVersion: 'v1.33.6+rke2r1',
        localClusterAuthEndpoint: { enabled: true, caCerts: 'a', fqdn: 'a' },
        redeploySystemAgentGeneration: 1,
        rkeConfig: {
          additionalManifest: 'a',
          chartValues: { a: { b: [1] } },
          dataDirectories: { k8sDistro: '/a', provisioning: '/b', systemAgent: '/c' },
          etcd: {
            disableSnapshots: true,
            snapshotRetention: 1,
            snapshotScheduleCron: '* * * * *',
            s3: { bucket: 'abc', cloudCredentialName: 'a', endpoint: 'a', endpointCA: 'a', folder: 'a', region: 'a', skipSSLVerify: true },
          },
          etcdSnapshotCreate: { generation: 1 },
          etcdSnapshotRestore: { generation: 1, name: 'a', restoreRKEConfig: 'all' },
          infrastructureRef: { kind: 'a', name: 'b' },
          machineGlobalConfig: { cni: 'calico' },
          machinePoolDefaults: { hostnameLengthLimit: 20 },
          machinePools: [{
            ...POOL,
            autoscalingMaxSize: 2,
            autoscalingMinSize: 1,
            cloudCredentialSecretName: 'a',
            controlPlaneRole: true,
            displayName: 'a',
            drainBeforeDelete: true,
            drainBeforeDeleteTimeout: '1m',
            dynamicSchemaSpec: '{}',
            etcdRole: true,
            hostnameLengthLimit: 20,
            labels: { a: 'b' },
            machineDeploymentAnnotations: { a: 'b' },
            machineDeploymentLabels: { a: 'b' },
            machineOS: 'linux',
            maxUnhealthy: '1',
            nodeStartupTimeout: '1m',
            paused: true,
            quantity: 1,
            rollingUpdate: { maxSurge: 1, maxUnavailable: '10%' },
            workerRole: true,
            unhealthyNodeTimeout: '1m',
            unhealthyRange: 'a',
            taints: [{ key: 'a', effect: 'NoSchedule', value: 'x', timeAdded: '2026-01-01T00:00:00Z' }],
          }],
          machineSelectorConfig: [{ config: { a: 1 }, machineLabelSelector: selector }],
          machineSelectorFiles: [{ fileSources: [{ configMap: source }, { secret: source }], machineLabelSelector: selector }],
          networking: { stackPreference: 'ipv4' },
          provisionGeneration: 1,
          registries: {
            configs: { 'a:5000': { authConfigSecretName: 'a', caBundle: 'YQ==', insecureSkipVerify: true, tlsSecretName: 'b' } },
            mirrors: { a: { endpoint: ['b'], rewrite: { a: 'b' } } },
          },
          rotateCertificates: { generation: 1, services: ['a'] },
          rotateEncryptionKeys: { generation: 1 },
          upgradeStrategy: { controlPlaneConcurrency: '1', workerConcurrency: '10%', controlPlaneDrainOptions: drain, workerDrainOptions: drain },
        },
      },
    }),
    token({ spec: { clusterName: 'a', gracePeriod: 1, ttl: 60 } }),
    setting({ customized: true, default: 'a', source: 'b', value: 'c' }),
    config({ cpuCount: '4', cpuPinning: true, diskSize: '40', enableEfi: true, memorySize: '8', vmNamespace: 'default', userData: '#cloud-config' }),
  ],
  harvester: [
    harvesterSetting({
      customized: true, default: 'a', source: 'b', value: 'c', status: { conditions: [{ type: 'a', status: 'True', message: 'x' }] },
    }),
    cloudInit({ spec: { contents: 'a', filename: 'b', matchSelector: { a: 'b' }, paused: true } }),
    pool({
      description: 'a',
      ranges: [{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.2', rangeEnd: '10.0.0.9', gateway: '10.0.0.1' }],
      selector: { priority: 1, network: 'a/b', scope: [{ project: '*', namespace: '*', guestCluster: '*' }] },
    }),
    balancer({
      description: 'a',
      workloadType: 'vm',
      ipam: 'pool',
      ipPool: 'a',
      listeners: [{ name: 'a', port: 80, protocol: 'TCP', backendPort: 80 }],
      backendServerSelector: { a: ['b'] },
      healthCheck: { port: 80, successThreshold: 1, failureThreshold: 1, periodSeconds: 1, timeoutSeconds: 1 },
    }),
    object('harvesterhci.io/v1beta1', 'ResourceQuota', {
      spec: { snapshotLimit: { namespaceTotalSnapshotSizeQuota: 1, vmTotalSnapshotSizeQuota: { a: 1 } } },
    }),
  ],
};

const SAID: Manifest[] = [
  provisioning({ spec: 'x' }), rke('x'), rke({ machinePools: { a: 1 } }), rke({ upgradeStrategy: { controlPlaneConcurrency: 1 } }),
  rke({ etcd: { snapshotRetention: '5' } }), rke({ etcd: { snapshotRetention: 5.5 } }),
  provisioning({ spec: { localClusterAuthEndpoint: { enabled: 'true' } } }),
  provisioning({ spec: { cloudCredentialSecretName: 5 } }), provisioning({ spec: { clusterAgentDeploymentCustomization: [] } }),
  provisioning({ foo: 1 }),
  provisioning({ spec: { foo: null } }), provisioning({ spec: { webhookDeploymentCustomization: 5 } }),
  rke({ machinePools: [{ ...POOL, userdata: {} }] }),
  rke({ machinePools: [{ ...POOL, hostnamePrefix: 'x' }] }), rke({ machinePools: [{ ...POOL, labels: { 'a.b/c': 1 } }] }),
  rke({ etcd: { s3: { retention: 1 } } }),
  rke({ machinePools: [{ ...POOL, rollingUpdate: { maxSurge: true } }] }), rke({ registries: { configs: { 'a:5000': { tlsSecretName: 1, x: 1 } } } }),
  rke({ machinePools: null, provisionGeneration: null, etcd: null, dataDirectories: null, machinePoolDefaults: null }),
  rke({ upgradeStrategy: { workerDrainOptions: null } }),
  rke({ machinePools: [{ ...POOL, paused: null, labels: { a: null } }] }), provisioning({ spec: null }), rke({ provisionGeneration: 1e3 }),
  token({ spec: { tokenName: 'x' } }), token({ spec: { ttl: '60' } }), token({ spec: { clusterName: null } }),
  setting({ spec: { value: 'x' } }), setting({ value: 5 }), setting({ value: null, customized: null }), setting({ constructor: 1 }),
  config({ cpuCount: 4 }), config({ cpus: '4' }), config({ spec: {} }), config({ enableEfi: 'true' }),
  config({ common: { labels: {} } }), config({ cpuCount: null }),
];

const SAID_OF_HARVESTER: Manifest[] = [
  harvesterSetting({ value: 5 }), harvesterSetting({ spec: {} }), harvesterSetting({ value: null }), harvesterSetting({ status: { x: 1 } }),
  cloudInit({ spec: { contents: 'a', filename: 'b', matchSelector: [] } }),
  cloudInit({ spec: { contents: 'a', filename: 'b', matchSelector: {}, x: 1 } }),
  pool({ ranges: [{ subnet: '10.0.0.0/24', start: 'x' }] }), pool({ ranges: [], selector: { scope: {}, labels: {} } }),
  balancer({ listeners: [{ port: '80', protocol: 'TCP', backendPort: 80 }] }), balancer({ backendServerSelector: { a: 'b' } }),
];

/** The manifest with each value in turn replaced by one of each type, and with a field that nobody knows in each object. */
function mutants(value: unknown): unknown[] {
  const others = ['x', 7, 1.5, true, null, [], ['x'], {}, { zz: 'x' }];
  const inside = Array.isArray(value)
    ? value.flatMap((item, index) => mutants(item).map((mutant) => value.map((other, place) => place === index ? mutant : other)))
    : isRecord(value)
      ? [{ ...value, zzz: 1 }, ...Object.entries(value).flatMap(([key, item]) => mutants(item).map((mutant) => ({ ...value, [key]: mutant })))]
      : [];
  return [...others, ...inside];
}

function mutantsOf(manifest: Manifest): Manifest[] {
  const { apiVersion, kind, metadata, ...fields } = manifest;
  return mutants(fields).filter((mutant) => isRecord(mutant) && Object.keys(mutant).some((key) => key !== 'zz'))
    .map((mutant) => ({ ...(mutant as object), apiVersion, kind, metadata }));
}

for (const kind of ['rancher', 'harvester'] as const) {
  describeCluster(`the shapes of ${kind}'s kinds and the server`, () => {
    let client: Client;

    beforeAll(async () => {
      client = clientOf(kind);
      await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    });

    test('agree on good objects', async () => {
      for (const manifest of COMPLETE[kind]) {
        expect(findings(manifest, kind)).toEqual([]);
        expect(await create(client, manifest, 'Strict')).toEqual({ refused: false, message: '' });
      }
    });

    test('agree on what is said of them, one by one', async () => {
      for (const manifest of kind === 'rancher' ? SAID : SAID_OF_HARVESTER) {
        const found = findings(manifest, kind);
        const errors = found.filter(({ level }) => level === 'error');
        const lax = await create(client, manifest, 'Ignore');
        const strict = await create(client, manifest, 'Strict');
        expect({ manifest, lax: errors.length > 0, strict: found.length > 0 })
          .toEqual({ manifest, lax: lax.refused, strict: strict.refused, ...(lax.refused !== errors.length > 0 && { message: lax.message }) });
        for (const error of errors) { expect(lax.message).toContain(saysOf(error)); }
      }
    });

    test('agree on every field of any type', async () => {
      const wrong: string[] = [];
      let refused = 0;
      const all = COMPLETE[kind].flatMap(mutantsOf);
      const next = all.values();
      await Promise.all(Array.from({ length: 8 }, async () => {
        for (const manifest of next) {
          const found = findings(manifest, kind);
          const errors = found.filter(({ level }) => level === 'error');
          const unknown = found.filter(({ level }) => level === 'warning');
          const lax = await create(client, manifest, 'Ignore');
          const strict = await create(client, manifest, 'Strict');
          const said = `${JSON.stringify(found.map(({ rule, path }) => `${rule} ${path}`))}, the server: ${strict.message || 'accepts'}`;
          if (lax.refused) { refused++; }
          if (errors.length > 0 && !lax.refused) { wrong.push(`refused by us: ${said}`); }
          if (lax.refused && !errors.every((error) => lax.message.includes(saysOf(error)))) { wrong.push(`other words: ${said}`); }
          if (!unknown.every((field) => strict.message.includes(saysOf(field)))) { wrong.push(`other words: ${said}`); }
          // what lies in a value of a wrong type is not looked at
          if (found.length === 0 && UNKNOWN.test(strict.message)) { wrong.push(`known to us: ${said}`); }
          if (errors.length === 0 && WRONG_TYPE.test(lax.message)) { wrong.push(`accepted by us: ${lax.message}`); }
        }
      }));
      expect(wrong.sort()).toEqual([]);
      expect(refused).toBeGreaterThan(kind === 'rancher' ? 1000 : 20);
    });
  });
}
