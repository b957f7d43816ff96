import { testInverses } from './_inverses';

describe('what is in guest clusters', () => {
  testInverses(
    [
      'GuestNamespace',
      'GuestStorageClass',
      'GuestVolumeSnapshotClass',
      'HelmChartAddon',
      'HelmChartConfig',
      'HarvesterLoadBalancer',
      'IngressLoadBalancer',
    ],
    {
      'HarvesterLoadBalancer: workload':
        'the workload is an object of cdk8s-plus, which programs of adopt do not use',
    },
  );
});

describe('guest clusters', () => {
  const account = 'the kubeconfig names the account, and its text is not read';
  const metadata =
    'are added to each object by a call, since the credential that clusters share has none of them';
  testInverses(['GuestCluster', 'CustomCluster', 'CloudConfigSecret'], {
    'CloudConfigSecret: serviceAccountName': account,
    'CloudConfigSecret: name':
      'a Secret of another name may have a kubeconfig of the UI, with other bytes',
    'GuestCluster: cloudProvider.helmChart().cloudConfig.serviceAccountName': account,
    'GuestCluster: cloudProvider.harvester().cloudConfig.serviceAccountName': account,
    'GuestCluster: labels': metadata,
    'GuestCluster: annotations': metadata,
    'CustomCluster: cloudProvider.helmChart().cloudConfig.serviceAccountName': account,
    'CustomCluster: cloudProvider.harvester().cloudConfig.serviceAccountName': account,
  });
});
