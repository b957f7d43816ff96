import { FakeCluster } from '../../../support/fake-cluster';
import { SmallProgram } from '../../graph/_assemblies';
import { Trial } from '../_running';

const HARVESTER = 'harvesterhci.io/v1beta1';
const ID = 'dc1/harvesterhci.io/VirtualMachineImage/images/ubuntu';
const REF = {
  apiVersion: HARVESTER,
  kind: 'VirtualMachineImage',
  namespace: 'images',
  name: 'ubuntu',
};
const MACHINE = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' };
const GIVEN_UP = [
  { type: 'Imported', status: 'False', message: '404' },
  { type: 'RetryLimitExceeded', status: 'True', message: 'Initialized: 3/3' },
];

function program(): SmallProgram {
  const small = new SmallProgram().target('dc1', 'harvester').target('rancher', 'rancher');
  small.object('rancher', 'v1', 'ConfigMap', 'default/stays');
  small.object('dc1', HARVESTER, 'VirtualMachineImage', 'images/ubuntu', {
    spec: {
      displayName: 'ubuntu',
      sourceType: 'download',
      url: 'https://images.example.com/u.img',
    },
  });
  return small;
}

/** A platform whose image server was away, so that Harvester gave the image up. */
async function failed(): Promise<{
  readonly trial: Trial;
  readonly dc1: FakeCluster;
  readonly uid: string;
}> {
  const trial = new Trial(program());
  const dc1 = trial.clusters.dc1!;
  expect((await trial.apply()).failed).toEqual([]);
  dc1.change(REF, (image) => {
    image.status = { storageClassName: 'lh-1234', conditions: GIVEN_UP };
  });
  // now the server answers
  dc1.reactions.push((object, cluster) => {
    if (object.kind === 'VirtualMachineImage' && !object.status) {
      cluster.change(object, (image) => {
        image.status = { conditions: [{ type: 'Imported', status: 'True' }] };
      });
    }
  });
  trial.forget();
  return { trial, dc1, uid: uidOf(dc1) };
}

const uidOf = (dc1: FakeCluster): string =>
  dc1.live(HARVESTER, 'VirtualMachineImage', 'ubuntu', 'images').metadata.uid as string;

test('reports what to do about an image that Harvester gave up', async () => {
  const { trial, dc1, uid } = await failed();
  const {
    failed: [failure],
  } = await trial.apply({ wait: true });
  expect(failure).toMatchObject({
    id: ID,
    message: expect.stringMatching(
      /RetryLimitExceeded is True: Initialized: 3\/3\. Fix: make the URL reachable .*--recreate-failed-images/,
    ),
  });
  expect([uidOf(dc1), dc1.did('delete')]).toEqual([uid, []]);
});

test('recreates it on request, also while a finalizer holds it for a moment, and once', async () => {
  const { trial, dc1, uid } = await failed();
  dc1.change(REF, (image) => {
    image.metadata.finalizers = ['wrangler.cattle.io/vm-image-controller'];
  });
  let looks = 0;
  dc1.before = async ({ verb, what }) => {
    if (
      verb !== 'read' ||
      what !== 'VirtualMachineImage images/ubuntu' ||
      !dc1.live(HARVESTER, 'VirtualMachineImage', 'ubuntu', 'images')?.metadata.deletionTimestamp
    ) {
      return;
    }
    if (++looks === 2) {
      dc1.change(REF, (image) => {
        image.metadata.finalizers = [];
      });
    }
  };
  expect((await trial.apply({ wait: true, recreateFailedImages: true })).failed).toEqual([]);
  expect(uidOf(dc1)).not.toBe(uid);
  expect(trial.states(ID)).toEqual(expect.arrayContaining(['created', 'ready']));
  expect(trial.told).toContain(
    'deletes VirtualMachineImage images/ubuntu, whose download failed, and creates it again',
  );
  trial.forget();
  expect((await trial.apply({ wait: true, recreateFailedImages: true })).counts).toMatchObject({
    unchanged: 2,
  });
  expect(dc1.did('delete')).toEqual([]);
});

test.each<[what: string, user: { readonly [field: string]: unknown }, target: string]>([
  [
    'a virtual machine',
    {
      ...MACHINE,
      metadata: {
        name: 'web',
        namespace: 'shop',
        annotations: {
          'harvesterhci.io/volumeClaimTemplates':
            '[{"metadata":{"annotations":{"harvesterhci.io/imageId":"images/ubuntu"}}}]',
        },
      },
    },
    'dc1',
  ],
  [
    'a volume of its class',
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'shop' },
      spec: { storageClassName: 'lh-1234' },
    },
    'dc1',
  ],
  [
    'a template',
    {
      apiVersion: HARVESTER,
      kind: 'VirtualMachineTemplateVersion',
      metadata: { name: 'v1', namespace: 'shop' },
      spec: { imageId: 'images/ubuntu' },
    },
    'dc1',
  ],
  [
    'an image that is encrypted from it',
    {
      apiVersion: HARVESTER,
      kind: 'VirtualMachineImage',
      metadata: { name: 'safe', namespace: 'images' },
      spec: { securityParameters: { sourceImageName: 'ubuntu', sourceImageNamespace: 'images' } },
    },
    'dc1',
  ],
  [
    'a machine configuration on Rancher',
    {
      apiVersion: 'rke-machine-config.cattle.io/v1',
      kind: 'HarvesterConfig',
      metadata: { name: 'nc-shop', namespace: 'fleet-default' },
      diskInfo: '{"disks":[{"imageName":"images/ubuntu"}]}',
    },
    'rancher',
  ],
])('keeps an image that %s uses, and names it', async (_, user, target) => {
  const { trial, dc1, uid } = await failed();
  trial.clusters[target]!.seed(user);
  const { failed: failures } = await trial.apply({ recreateFailedImages: true });
  const { name, namespace } = user.metadata as { name: string; namespace: string };
  expect(failures).toMatchObject([
    {
      id: ID,
      message: expect.stringContaining(
        `it is used by ${user.kind as string} ${namespace}/${name} on ${target}. Fix: `,
      ),
    },
  ]);
  expect(uidOf(dc1)).toBe(uid);
});

test('recreates an image where only another one is used', async () => {
  const { trial, dc1, uid } = await failed();
  dc1.seed({
    ...MACHINE,
    metadata: {
      name: 'web',
      namespace: 'shop',
      annotations: { 'harvesterhci.io/imageId': 'images/ubuntu-24.04' },
    },
  });
  expect((await trial.apply({ recreateFailedImages: true })).failed).toEqual([]);
  expect(uidOf(dc1)).not.toBe(uid);
});

test('keeps an image whose users it cannot list, and one that another program made', async () => {
  const { trial, dc1, uid } = await failed();
  dc1.fault = ({ verb, what }) =>
    verb === 'list' && what === 'PersistentVolumeClaim /'
      ? new Error('cannot list persistentvolumeclaims')
      : undefined;
  expect((await trial.apply({ recreateFailedImages: true })).failed).toMatchObject([
    { message: expect.stringContaining('cannot list persistentvolumeclaims') },
  ]);
  dc1.fault = undefined;
  dc1.change(REF, (image) => {
    image.metadata.labels = {};
  });
  expect((await trial.apply({ recreateFailedImages: true })).failed).toMatchObject([
    { message: expect.stringContaining('does not have the label') },
  ]);
  expect(uidOf(dc1)).toBe(uid);
});

test('leaves an image that Harvester still tries', async () => {
  const { trial, dc1, uid } = await failed();
  dc1.change(REF, (image) => {
    image.status.conditions = [{ type: 'RetryLimitExceeded', status: 'False', message: '404' }];
  });
  expect((await trial.apply({ recreateFailedImages: true })).failed).toEqual([]);
  expect(uidOf(dc1)).toBe(uid);
});

test('does not recreate what a saved plan does not contain', async () => {
  const { trial } = await failed();
  await expect(
    trial.apply({ plan: await trial.plan(), recreateFailedImages: true }),
  ).rejects.toThrow('--recreate-failed-images: cannot be combined with a saved plan');
});
