import { createHash } from 'crypto';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { readinessOf, readyTimeoutMs } from '../../../src/engine/ready/wait-ready';
import { HARVESTER_SETTING_DESCRIPTION } from '../../../src/harvester/settings/harvester-setting.kind';

type Fields = { [field: string]: unknown };

function live(
  apiVersion: string,
  kind: string,
  fields: Fields = {},
  metadata: Fields = {},
): LiveObject {
  return {
    apiVersion,
    kind,
    metadata: { name: 'x', uid: 'u', resourceVersion: '1', ...metadata },
    ...fields,
  } as LiveObject;
}

const status = (
  ...conditions: (readonly [type: string, value: string, message?: string])[]
): Fields => ({
  status: {
    conditions: conditions.map(([type, value, message]) => ({
      type,
      status: value,
      ...(message ? { message } : {}),
    })),
  },
});

const PROVISIONING = 'provisioning.cattle.io/v1';
const HARVESTER = 'harvesterhci.io/v1beta1';
const rke = { spec: { rkeConfig: {} } };
const hash = (text: string): Fields => ({
  annotations: { 'harvesterhci.io/hash': createHash('sha224').update(text).digest('hex') },
});
const setting = (value: string, fields: Fields, metadata: Fields): LiveObject =>
  live(HARVESTER, 'Setting', { value, ...fields }, { name: 'ntp-servers', ...metadata });

test.each<[what: string, object: LiveObject, state: string, why: string]>([
  [
    'an import that Rancher has not seen',
    live(PROVISIONING, 'Cluster'),
    'waiting',
    'no status.clusterName',
  ],
  [
    'an import whose agent is away',
    live(PROVISIONING, 'Cluster', {
      status: { clusterName: 'c', conditions: [{ type: 'Connected', status: 'False' }] },
    }),
    'waiting',
    'its agent is not connected',
  ],
  [
    'a connected import',
    live(PROVISIONING, 'Cluster', { status: { clusterName: 'c', ready: true } }),
    'ready',
    '',
  ],
  [
    'an import whose agent went away later',
    live(PROVISIONING, 'Cluster', {
      status: {
        clusterName: 'c',
        ready: true,
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'Connected', status: 'False' },
        ],
      },
    }),
    'waiting',
    'its agent is not connected',
  ],
  [
    'a guest whose agent went away later',
    live(PROVISIONING, 'Cluster', {
      ...rke,
      ...status(
        ['Provisioned', 'True'],
        ['Updated', 'True'],
        ['Ready', 'True'],
        ['Connected', 'False', 'timed out'],
      ),
    }),
    'waiting',
    'its agent is not connected: Connected is False: timed out',
  ],
  [
    'a management cluster that never connected',
    live('management.cattle.io/v3', 'Cluster', status(['Connected', 'False'])),
    'waiting',
    'its agent has not connected yet',
  ],
  [
    'a management cluster that is not checked yet',
    live('management.cattle.io/v3', 'Cluster', status(['Connected', 'True'])),
    'waiting',
    'Rancher has not checked its API yet',
  ],
  [
    'a management cluster whose agent is gone',
    live(
      'management.cattle.io/v3',
      'Cluster',
      status(
        ['Provisioned', 'True'],
        ['Connected', 'False'],
        ['Ready', 'False', 'Cluster agent is not connected'],
      ),
    ),
    'waiting',
    'its agent is not connected: Connected is False; Ready is False: Cluster agent is not connected',
  ],
  [
    'a management cluster whose API fails',
    live(
      'management.cattle.io/v3',
      'Cluster',
      status(['Connected', 'True'], ['Ready', 'False', 'cluster health check failed']),
    ),
    'waiting',
    'Ready is False: cluster health check failed',
  ],
  [
    'a connected management cluster',
    live('management.cattle.io/v3', 'Cluster', status(['Connected', 'True'], ['Ready', 'True'])),
    'ready',
    '',
  ],
  [
    'a guest that is being made',
    live(PROVISIONING, 'Cluster', {
      ...rke,
      ...status(['Provisioned', 'Unknown', 'waiting for etcd']),
    }),
    'waiting',
    'Provisioned is Unknown: waiting for etcd',
  ],
  [
    'a guest that fails for now',
    live(PROVISIONING, 'Cluster', { ...rke, ...status(['Provisioned', 'False', 'no address']) }),
    'failing',
    'Provisioned is False: no address',
  ],
  [
    'a guest that is there',
    live(PROVISIONING, 'Cluster', {
      ...rke,
      ...status(['Provisioned', 'True'], ['Updated', 'True'], ['Ready', 'True']),
    }),
    'ready',
    '',
  ],
  [
    'a guest whose status is of an earlier generation',
    live(
      PROVISIONING,
      'Cluster',
      { ...rke, status: { observedGeneration: 1, ready: true } },
      { generation: 2 },
    ),
    'waiting',
    'has not seen the latest change',
  ],
  [
    'a project without a namespace',
    live('management.cattle.io/v3', 'Project'),
    'waiting',
    'has no condition BackingNamespaceCreated yet',
  ],
  [
    'a project',
    live(
      'management.cattle.io/v3',
      'Project',
      status(['BackingNamespaceCreated', 'True'], ['InitialRolesPopulated', 'True']),
    ),
    'ready',
    '',
  ],
  [
    'a project without a creator',
    live('management.cattle.io/v3', 'Project', status(['BackingNamespaceCreated', 'True']), {
      annotations: { 'field.cattle.io/no-creator-rbac': 'true' },
    }),
    'ready',
    '',
  ],
  [
    'a project with a creator whose roles are missing',
    live('management.cattle.io/v3', 'Project', status(['BackingNamespaceCreated', 'True'])),
    'waiting',
    'InitialRolesPopulated',
  ],
  [
    'a registration token',
    live('management.cattle.io/v3', 'ClusterRegistrationToken'),
    'ready',
    '',
  ],
  [
    'a Setting that was just changed',
    setting('new', status(['configured', 'True']), hash('old')),
    'waiting',
    'Harvester has not carried its value out yet',
  ],
  [
    'a Setting that is carried out',
    setting('new', status(['configured', 'True']), hash('new')),
    'ready',
    '',
  ],
  [
    'a Setting of a patched upgrade',
    setting('new', status(['configured', 'True']), {
      annotations: {
        'harvesterhci.io/upgrade-patched': 'v2',
        ...(hash('newv2').annotations as Fields),
      },
    }),
    'ready',
    '',
  ],
  [
    'a Setting that fails',
    setting('new', status(['configured', 'False', 'x509: unknown authority']), hash('new')),
    'failing',
    'x509: unknown authority',
  ],
  [
    'a Setting that is reset, whose condition is False',
    setting('', status(['configured', 'False', 'reset']), hash('')),
    'ready',
    '',
  ],
  [
    'a Setting that is being reset',
    setting('', status(['configured', 'True']), hash('old')),
    'waiting',
    'has not carried its value out',
  ],
  [
    'a Setting that no controller acts on',
    live(HARVESTER, 'Setting', { value: 'bundled' }, { name: 'ui-source' }),
    'ready',
    '',
  ],
  [
    'a Setting whose controller has not looked at it',
    live(HARVESTER, 'Setting', { value: 'Info' }, { name: 'log-level' }),
    'waiting',
    'has not carried its value out',
  ],
  [
    'a Setting of a controller of its own that was not looked at',
    live(HARVESTER, 'Setting', { value: '{}' }, { name: 'backup-target' }),
    'waiting',
    'has not carried its value out',
  ],
  [
    'a Setting of a controller of its own',
    live(
      HARVESTER,
      'Setting',
      { value: '{}', ...status(['configured', 'True']) },
      { name: 'backup-target' },
    ),
    'ready',
    '',
  ],
  [
    'a storage network while pods stop',
    live(
      HARVESTER,
      'Setting',
      {
        value: '{}',
        status: {
          conditions: [
            {
              type: 'configured',
              status: 'False',
              reason: 'In Progress',
              message: 'waiting for all volumes detached',
            },
          ],
        },
      },
      { name: 'storage-network' },
    ),
    'waiting',
    'waiting for all volumes detached',
  ],
  [
    'a storage network that is done',
    live(
      HARVESTER,
      'Setting',
      { value: '{}', ...status(['configured', 'True']) },
      {
        name: 'storage-network',
        annotations: {
          'storage-network.settings.harvesterhci.io/hash': createHash('sha1')
            .update('{}')
            .digest('hex'),
        },
      },
    ),
    'ready',
    '',
  ],
  [
    'an empty Setting of which nothing was ever carried out',
    live(
      HARVESTER,
      'Setting',
      { value: '', ...status(['configured', 'False', 'no such Deployment']) },
      { name: 'http-proxy' },
    ),
    'ready',
    '',
  ],
  [
    'an image that is downloaded',
    live(HARVESTER, 'VirtualMachineImage', { status: { progress: 40 } }),
    'waiting',
    'is being imported, 40 %',
  ],
  ['an image', live(HARVESTER, 'VirtualMachineImage', status(['Imported', 'True'])), 'ready', ''],
  [
    'an image that was given up',
    live(
      HARVESTER,
      'VirtualMachineImage',
      status(['Imported', 'False', '404'], ['RetryLimitExceeded', 'True', 'gave up']),
    ),
    'failed',
    'RetryLimitExceeded is True: gave up',
  ],
  [
    'an addon that is being deployed',
    live(HARVESTER, 'Addon', { spec: { enabled: true }, status: { status: 'AddonDeploying' } }),
    'waiting',
    'AddonDeploying',
  ],
  ['an addon that is off', live(HARVESTER, 'Addon', { spec: { enabled: false } }), 'ready', ''],
  [
    'a load balancer without an address',
    live('loadbalancer.harvesterhci.io/v1beta1', 'LoadBalancer', status(['Ready', 'True'])),
    'waiting',
    'has no address yet',
  ],
  [
    'a cluster network',
    live('network.harvesterhci.io/v1beta1', 'ClusterNetwork', status(['ready', 'True'])),
    'ready',
    '',
  ],
  [
    'a machine that is off as it should be',
    live('kubevirt.io/v1', 'VirtualMachine', {
      spec: { runStrategy: 'Halted' },
      status: { printableStatus: 'Stopped' },
    }),
    'ready',
    '',
  ],
  [
    'a machine that no node has room for',
    live('kubevirt.io/v1', 'VirtualMachine', { status: { printableStatus: 'ErrorUnschedulable' } }),
    'failing',
    'ErrorUnschedulable',
  ],
  ['a namespace', live('v1', 'Namespace', { status: { phase: 'Active' } }), 'ready', ''],
  ['a Secret', live('v1', 'Secret'), 'ready', ''],
  [
    'a token that is not written yet',
    live('v1', 'Secret', { type: 'kubernetes.io/service-account-token', data: {} }),
    'waiting',
    'has not written the token',
  ],
  ['a Service', live('v1', 'Service', { spec: { type: 'ClusterIP' } }), 'ready', ''],
  [
    'a Service without the address that it asks for',
    live('v1', 'Service', { spec: { type: 'LoadBalancer' } }),
    'waiting',
    'has no address of a load balancer yet',
  ],
  [
    'a claim',
    live('v1', 'PersistentVolumeClaim', { status: { phase: 'Pending' } }),
    'waiting',
    'is Pending, not Bound',
  ],
  [
    'a Deployment that its controller has not seen',
    live('apps/v1', 'Deployment'),
    'waiting',
    'has not seen it yet',
  ],
  [
    'a Deployment on its way',
    live('apps/v1', 'Deployment', {
      spec: { replicas: 3 },
      status: { observedGeneration: 1, updatedReplicas: 1 },
    }),
    'waiting',
    '1 of 3 are updated',
  ],
  [
    'a Deployment that is stuck',
    live('apps/v1', 'Deployment', {
      status: {
        observedGeneration: 1,
        conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
      },
    }),
    'failed',
    'Progressing is False (ProgressDeadlineExceeded)',
  ],
  [
    'a Deployment',
    live('apps/v1', 'Deployment', {
      status: {
        observedGeneration: 1,
        updatedReplicas: 1,
        availableReplicas: 1,
        replicas: 1,
        conditions: [],
      },
    }),
    'ready',
    '',
  ],
  [
    'a DaemonSet',
    live('apps/v1', 'DaemonSet', {
      status: {
        observedGeneration: 1,
        desiredNumberScheduled: 2,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      },
    }),
    'waiting',
    '1 of 2 are available',
  ],
  [
    'a StatefulSet',
    live('apps/v1', 'StatefulSet', {
      status: { observedGeneration: 1, readyReplicas: 1, updatedReplicas: 1 },
    }),
    'ready',
    '',
  ],
  [
    'a Job that failed',
    live('batch/v1', 'Job', status(['Failed', 'True', 'too often'])),
    'failed',
    'too often',
  ],
  [
    'a Pod whose image is missing',
    live('v1', 'Pod', {
      status: {
        phase: 'Pending',
        containerStatuses: [
          { state: { waiting: { reason: 'ImagePullBackOff', message: 'nosuch' } } },
        ],
      },
    }),
    'failing',
    'ImagePullBackOff: nosuch',
  ],
  [
    'a definition',
    live('apiextensions.k8s.io/v1', 'CustomResourceDefinition', status(['Established', 'True'])),
    'ready',
    '',
  ],
  ['an unknown kind', live('example.com/v1', 'Widget'), 'ready', ''],
  [
    'one that reports that it is not ready',
    live('example.com/v1', 'Widget', status(['Ready', 'False', 'wait'])),
    'waiting',
    'Ready is False: wait',
  ],
  [
    'one that is stuck',
    live('example.com/v1', 'Widget', status(['Stalled', 'True', 'stuck'])),
    'failed',
    'Stalled is True: stuck',
  ],
  [
    'one that is being deleted',
    live('v1', 'Secret', {}, { deletionTimestamp: 'now' }),
    'waiting',
    'is being deleted',
  ],
  [
    'one whose status makes no sense',
    live(PROVISIONING, 'Cluster', { spec: { rkeConfig: {} }, status: { conditions: 'none' } }),
    'waiting',
    'has no condition Provisioned yet',
  ],
])('%s', (_, object, state, why) => {
  const found = readinessOf(object);
  expect(found.state).toBe(state);
  expect(found.why).toContain(why);
});

test('a digest is expected only of versions whose controller acts on the setting', () => {
  const resources = live(
    HARVESTER,
    'Setting',
    { value: '{}' },
    { name: 'instance-manager-resources' },
  );
  expect(readinessOf(resources, { harvesterVersion: '1.7.2' }).state).toBe('ready');
  expect(readinessOf(resources, { harvesterVersion: '1.8.0' }).state).toBe('waiting');
});

test.each<[name: string, version: string | undefined, value: string]>([
  ['vip-pools', '1.7.2', '{}'],
  ['auto-rotate-rke2-certs', '1.7.2', '{"enable":false,"expiringInHours":240}'],
  ['http-proxy', '1.4.3', '{}'],
  ['http-proxy', '1.5.0', ''],
  ['http-proxy', undefined, ''],
  ['overcommit-config', '1.3.1', '{"cpu":1600,"memory":150,"storage":200}'],
  ['overcommit-config', '1.3.2', ''],
  ['ntp-servers', '1.3.2', '{"ntpServers":[]}'],
  ['ntp-servers', '1.7.2', ''],
  ['ui-source', '1.7.2', ''],
  ['nobody-knows', '1.7.2', ''],
])('resets %s on Harvester %s by %j', (name, version, value) => {
  expect(HARVESTER_SETTING_DESCRIPTION.reset!.value(name, { harvesterVersion: version })).toBe(
    value,
  );
  expect(
    HARVESTER_SETTING_DESCRIPTION.reset!.isDone(live(HARVESTER, 'Setting', { value }, { name }), {
      harvesterVersion: version,
    }),
  ).toBe(true);
});

test('takes an empty value for a reset only where its controller did', () => {
  const failed = { value: '', ...status(['configured', 'False', 'unexpected end of JSON input']) };
  expect(
    HARVESTER_SETTING_DESCRIPTION.reset!.isDone(
      live(HARVESTER, 'Setting', failed, { name: 'vip-pools', ...hash('{"a":"b"}') }),
      { harvesterVersion: '1.7.2' },
    ),
  ).toBe(false);
  expect(
    HARVESTER_SETTING_DESCRIPTION.reset!.isDone(
      live(HARVESTER, 'Setting', {}, { name: 'vip-pools' }),
      { harvesterVersion: '1.7.2' },
    ),
  ).toBe(true);
  expect(
    HARVESTER_SETTING_DESCRIPTION.reset!.isDone(
      live(HARVESTER, 'Setting', { value: 'x' }, { name: 'ui-source' }),
      { harvesterVersion: '1.7.2' },
    ),
  ).toBe(false);
});

test('clusters of machines get more time than others', () => {
  expect(readyTimeoutMs({ apiVersion: PROVISIONING, kind: 'Cluster' })).toBe(45 * 60_000);
  expect(readyTimeoutMs({ apiVersion: 'v1', kind: 'Secret' })).toBe(5 * 60_000);
});
