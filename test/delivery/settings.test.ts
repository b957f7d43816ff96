import { ApiObject } from 'cdk8s';
import { Delivery, HarvesterApp, HarvesterChart, LateSource, LateValue } from '../../src';
import { Manifest } from '../../src/core/manifest/manifest';
import { AssemblyObject } from '../../src/core/output/assembly';
import { loadAssembly } from '../../src/engine/read/load-assembly';
import { HarvesterSetting } from '../../src/settings';
import { tempFolder } from '../support/temp';

const MIRROR = {
  'docker.io': {
    endpoints: ['https://mirror.example.com'],
    rewrites: { '^rancher/(.*)': 'hub/$1?a=1&b=<2>' },
  },
};

/** A Setting of a program as each engine gets it. */
function deliveredSetting(
  write: (dc1: HarvesterChart) => void,
  delivery = Delivery.flux({ sourceName: 'platform' }),
): { readonly entry: AssemblyObject; readonly manifest: Manifest } {
  const app = new HarvesterApp({ outdir: tempFolder(), printWarnings: false, delivery });
  write(new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' }));
  app.synth();
  const { assembly, manifests } = loadAssembly(app.outdir);
  const [entry] = assembly.objects;
  return { entry, manifest: manifests.get(entry.id)! };
}

const byHand =
  (value: string) =>
  (dc1: HarvesterChart): void => {
    new ApiObject(dc1, 'registry', {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'containerd-registry' },
      value,
    });
  };

test('writes registries in the form in which Harvester stores them, whatever form the program has', () => {
  const stored =
    '{"Mirrors":{"docker.io":{"Endpoints":["https://mirror.example.com"],"Rewrites":{"^rancher/(.*)":"hub/$1?a=1\\u0026b=\\u003c2\\u003e"}}},"Configs":{},"Auths":null}';
  expect(
    deliveredSetting((dc1) => {
      HarvesterSetting.containerdRegistry(dc1, 'registry', { mirrors: MIRROR });
    }).manifest.value,
  ).toBe(stored);
  expect(
    deliveredSetting(
      byHand(
        ' { "configs": { "b:5000": { "tls": { "insecureskipverify": true } }, "a": {} },\n "mirrors": { "docker.io": { "endpoints": ["https://a.example.com"] } } }',
      ),
    ).manifest.value,
  ).toBe(
    '{"Mirrors":{"docker.io":{"Endpoints":["https://a.example.com"],"Rewrites":null}},"Configs":{"a":{"Auth":null,"TLS":null},' +
      '"b:5000":{"Auth":null,"TLS":{"CAFile":"","CertFile":"","KeyFile":"","InsecureSkipVerify":true}}},"Auths":null}',
  );
});

test.each([
  ['Flux', Delivery.flux({ sourceName: 'platform' })],
  ['Argo CD', Delivery.argoCd({ repository: 'https://git.example.com/platform.git' })],
  ['Fleet', Delivery.fleet({ repository: 'https://git.example.com/platform.git' })],
])(
  'delivers no registry with a password by %s, also if the password is a late value',
  (_, delivery) => {
    const auth = (password: string): string =>
      JSON.stringify({
        Mirrors: {},
        Configs: { 'registry.example.com': { Auth: { Username: 'robot', Password: password } } },
      });
    const late = (dc1: HarvesterChart): void => {
      const source = LateSource.secretKey('password', {
        target: dc1,
        apiVersion: 'v1',
        kind: 'Secret',
        namespace: 'default',
        name: 'pull',
      });
      byHand(
        auth(
          `${new LateValue(dc1, 'password', { description: 'password of the registry', source, sensitive: true })}`,
        ),
      )(dc1);
    };
    for (const write of [byHand(auth('hunter2hunter2')), late]) {
      const { entry } = deliveredSetting(write, delivery);
      expect(entry).toMatchObject({
        onlyApply:
          'holds the password of a registry, which Harvester moves out of the value at once',
      });
      expect(entry).not.toHaveProperty('file');
      expect(entry).not.toHaveProperty('stage');
    }
  },
);
