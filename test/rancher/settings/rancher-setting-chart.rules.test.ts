import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedTarget, World } from '../../../src/core/rule/rule';
import { RancherSetting } from '../../../src/rancher/settings/rancher-setting';
import { RANCHER_SETTING_RULES } from '../../../src/rancher/settings/rancher-setting.rules';
import { cluster, setting } from '../../support/judging';
import { newApp, newRancher } from '../../support/programs';

const RANCHER: JudgedTarget = {
  name: 'rancher',
  kind: 'rancher',
  rancherVersion: '2.13.8',
  serverUrl: 'https://rancher.example.com',
};

function told(
  manifests: readonly Manifest[],
  target: JudgedTarget = RANCHER,
  live: readonly Manifest[] = [],
): string[] {
  const on = (list: readonly Manifest[]) => list.map((manifest) => ({ manifest, target }));
  return judge(RANCHER_SETTING_RULES, new World(on(manifests), on(live))).map(
    ({ level, rule, path, message }) => `${level} ${rule} ${path}: ${message}`,
  );
}

describe('the setting server-url', () => {
  test.each([
    'https://rancher.example.com',
    'https://RANCHER.example.com/',
    'https://rancher.example.com:443',
  ])('accepts the URL of the chart: %s', (url) => {
    expect(told([setting('server-url', url)])).toEqual([]);
  });

  test('reports another host than that of the chart', () => {
    expect(told([setting('server-url', 'https://other.example.com')])).toEqual([
      'warning rancher-setting/server-url-differs value: must be https://rancher.example.com, the serverUrl of the RancherChart: ' +
        'registration URLs, kubeconfigs and nodes use one or the other',
    ]);
  });

  test('accepts any URL without a chart', () => {
    expect(
      told([setting('server-url', 'https://other.example.com')], {
        ...RANCHER,
        serverUrl: undefined,
      }),
    ).toEqual([]);
  });
});

describe('strict verification by agents', () => {
  const strict = setting('agent-tls-mode', 'strict');
  const finding = (path: string) =>
    expect.stringContaining(
      `warning rancher-setting/strict-without-ca ${path}: cannot be strict without an authority in the setting cacerts`,
    );

  test('reports strict verification without an authority', () => {
    expect(told([strict])).toEqual([finding('value')]);
    expect(told([strict])[0]).toContain(
      '(the server: "Strict CA verification is enabled but encountered error finding root CA")',
    );
    expect(
      told([
        cluster('dc1', {
          agentEnvVars: [
            { name: 'A', value: 'b' },
            { name: 'STRICT_VERIFY', value: 'true' },
          ],
        }),
      ]),
    ).toEqual([finding('spec.agentEnvVars[1].value')]);
  });

  test('accepts strict verification with an authority', () => {
    expect(told([strict], { ...RANCHER, privateCa: 'true' })).toEqual([]);
    expect(told([strict], RANCHER, [setting('cacerts', '-----BEGIN CERTIFICATE-----')])).toEqual(
      [],
    );
    expect(told([setting('agent-tls-mode', 'system-store')])).toEqual([]);
  });

  test('reports strict verification with an empty live setting cacerts', () => {
    expect(told([strict], { ...RANCHER, serverUrl: undefined }, [setting('cacerts', '')])).toEqual([
      finding('value'),
    ]);
  });

  test('accepts strict verification of an unknown Rancher', () => {
    expect(told([strict], { ...RANCHER, serverUrl: undefined })).toEqual([]);
  });
});

test('judges a program by its chart', () => {
  const app = newApp();
  RancherSetting.serverUrl(newRancher(app), 'url', 'https://other.example.com');
  app.synth();
  expect(app.findings.map(({ rule }) => rule)).toContain('rancher-setting/server-url-differs');
});
