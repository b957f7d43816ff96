import { FaultProxy, ProxiedAnswer, ProxiedRequest, status } from '../../support/fault-proxy';

/* eslint-disable @typescript-eslint/no-explicit-any */

/** What a fake Kubernetes API serves: kinds by group version, and objects by path. */
export interface FakeApi {
  /**
   * `{ 'management.cattle.io/v3': { Setting: 'settings' } }`; with a `/` before the plural where it
   * is namespaced.
   */
  readonly kinds: { readonly [groupVersion: string]: { readonly [kind: string]: string } };
  readonly objects: { [path: string]: any };
}

/** A TLS server that answers GETs of a fake API; requests are kept. */
export async function serve(api: FakeApi): Promise<FaultProxy> {
  return FaultProxy.start(({ path }: ProxiedRequest): ProxiedAnswer => {
    const plain = path.split('?')[0];
    const version = /^\/(?:apis|api)\/(.*)$/.exec(plain)?.[1];
    if (version !== undefined && version in api.kinds) {
      const resources = Object.entries(api.kinds[version]).map(([kind, plural]) => ({
        kind,
        name: plural.replace('/', ''),
        namespaced: plural.startsWith('/'),
      }));
      return { status: 200, body: { kind: 'APIResourceList', resources } };
    }
    const body = api.objects[plain];
    return body === undefined
      ? status(404, 'NotFound', `${plain} not found`)
      : { status: 200, body };
  });
}

const CORE = { v1: { Namespace: 'namespaces', Secret: '/secrets', ConfigMap: '/configmaps' } };

function kubeSystem(uid: string): FakeApi['objects'] {
  return {
    '/version': { gitVersion: 'v1.33.6+rke2r1' },
    '/api/v1/namespaces/kube-system': { metadata: { name: 'kube-system', uid } },
  };
}

/** A Rancher management cluster. */
export function fakeRancher({
  version = 'v2.13.8',
  serverUrl = 'https://rancher.example.com',
  uid = 'uid-rancher',
  cacerts = '',
} = {}): FakeApi {
  const settings = '/apis/management.cattle.io/v3/settings';
  return {
    kinds: {
      ...CORE,
      'management.cattle.io/v3': { Setting: 'settings', Project: '/projects' },
      'provisioning.cattle.io/v1': { Cluster: '/clusters' },
    },
    objects: {
      ...kubeSystem(uid),
      [`${settings}/server-version`]: { value: version, default: 'dev' },
      [`${settings}/server-url`]: { value: serverUrl, default: '' },
      [`${settings}/cacerts`]: { value: cacerts, default: '' },
    },
  };
}

/** A Harvester cluster, which has a Rancher within. */
export function fakeHarvester({
  version = 'v1.7.2',
  uid = 'uid-harvester',
  vip = '10.10.0.10',
} = {}): FakeApi {
  return {
    kinds: {
      ...CORE,
      'harvesterhci.io/v1beta1': { Setting: 'settings' },
      'management.cattle.io/v3': { Setting: 'settings' },
    },
    objects: {
      ...kubeSystem(uid),
      '/apis/harvesterhci.io/v1beta1/settings/server-version': { value: '', default: version },
      '/apis/management.cattle.io/v3/settings/server-version': { value: 'v2.12.0' },
      '/api/v1/namespaces/harvester-system/configmaps/vip': { data: { ip: vip } },
    },
  };
}

/** A guest cluster, below the path of Rancher's proxy where one is given. */
export function fakeGuest({
  version = 'v1.33.6+rke2r1',
  uid = 'uid-guest',
  base = '',
} = {}): FakeApi {
  const objects: FakeApi['objects'] = { ...kubeSystem(uid), '/version': { gitVersion: version } };
  return {
    kinds: CORE,
    objects: Object.fromEntries(Object.entries(objects).map(([path, body]) => [base + path, body])),
  };
}

/** The kubeconfig that Rancher keeps of a guest, in its Secret, with the Cluster that names it. */
export function guestObjects(
  server: string,
  token: string,
  ca?: string,
  clusterId = 'c-m-shop',
): FakeApi['objects'] {
  const kubeconfig = JSON.stringify({
    'apiVersion': 'v1',
    'kind': 'Config',
    'clusters': [
      {
        name: 'cluster',
        cluster: {
          server,
          ...(ca ? { 'certificate-authority-data': Buffer.from(ca).toString('base64') } : {}),
        },
      },
    ],
    'users': [{ name: 'user', user: { token } }],
    'contexts': [{ name: 'default', context: { cluster: 'cluster', user: 'user' } }],
    'current-context': 'default',
  });
  return {
    '/apis/provisioning.cattle.io/v1/namespaces/fleet-default/clusters/shop': {
      status: { clusterName: clusterId, clientSecretName: 'shop-kubeconfig' },
    },
    '/api/v1/namespaces/fleet-default/secrets/shop-kubeconfig': {
      data: { value: Buffer.from(kubeconfig).toString('base64') },
    },
  };
}
