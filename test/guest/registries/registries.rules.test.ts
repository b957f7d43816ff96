import { guest, told } from '../../support/guest';

const findings = (registries: unknown): string[] => told([guest({ registries })]);

test('refuses registries that are named by a URL', () => {
  expect(
    findings({
      mirrors: { 'https://docker.io': { endpoint: ['https://mirror.example.com'] } },
      configs: { 'http://mirror.example.com:5000/v2': { insecureSkipVerify: true } },
    }),
  ).toEqual([
    'error cluster/registries spec.rkeConfig.registries.configs[http://mirror.example.com:5000/v2]: must be a host, not a URL. Fix: write mirror.example.com:5000',
    'error cluster/registries spec.rkeConfig.registries.mirrors[https://docker.io]: must be a host, not a URL. Fix: write docker.io',
  ]);
});

test.each([
  [undefined],
  [{}],
  [{ mirrors: null, configs: [] }],
  // containerd uses https for an endpoint without a scheme
  [
    {
      mirrors: {
        'docker.io': { endpoint: ['mirror.example.com'] },
        '*': { endpoint: ['https://mirror.example.com'] },
      },
      configs: { 'mirror.example.com:5000': {} },
    },
  ],
])('accepts %j', (registries) => {
  expect(findings(registries).filter((line) => line.includes('cluster/registries'))).toEqual([]);
});
