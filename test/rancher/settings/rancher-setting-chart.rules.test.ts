import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedTarget, World } from '../../../src/core/rule/rule';
import { RancherSetting } from '../../../src/rancher/settings/rancher-setting';
import { RANCHER_SETTING_RULES } from '../../../src/rancher/settings/rancher-setting.rules';
import { cluster, setting } from '../../support/judging';
import { newApp, newRancher } from '../../support/programs';

const RANCHER: JudgedTarget = { name: 'rancher', kind: 'rancher', rancherVersion: '2.13.8', serverUrl: 'https://rancher.example.com' };

function told(manifests: readonly Manifest[], target: JudgedTarget = RANCHER, live: readonly Manifest[] = []): string[] {
  const on = (list: readonly Manifest[]) => list.map((manifest) => ({ manifest, target }));
  return judge(RANCHER_SETTING_RULES, new World(on(manifests), on(live))).map(({ level, rule, path, message }) => `${level} ${rule} ${path}: ${message}`);
}

describe('the setting server-url', () => {
  test.each(['https://rancher.example.com', 'https://RANCHER.example.com/', 'https://rancher.example.com:443'])('is the one of the chart: %s', (url) => {
    expect(told([setting('server-url', url)])).toEqual([]);
  });

  test('of another host than the chart is reported', () => {
    expect(told([setting('server-url', 'https://other.example.com')])).toEqual([
      'warning rancher-setting/server-url-differs value: is not https://rancher.example.com, the serverUrl of the RancherChart: '
      + 'registration URLs, kubeconfigs and nodes get one or the other',
    ]);
  });

  test('without a chart is compared with nothing', () => {
    expect(told([setting('server-url', 'https://other.example.com')], { ...RANCHER, serverUrl: undefined })).toEqual([]);
  });
});

describe('strict verification by agents', () => {
  const strict = setting('agent-tls-mode', 'strict');
  const finding = (path: string) => expect.stringContaining(`warning rancher-setting/strict-without-ca ${path}: makes the agents of all clusters trust nothing but the setting cacerts`);

  test('without an authority is reported, in the words of the agent', () => {
    expect(told([strict])).toEqual([finding('value')]);
    expect(told([strict])[0]).toContain('(the server: "Strict CA verification is enabled but encountered error finding root CA")');
    expect(told([cluster('dc1', { agentEnvVars: [{ name: 'A', value: 'b' }, { name: 'STRICT_VERIFY', value: 'true' }] })])).toEqual([finding('spec.agentEnvVars[1].value')]);
  });

  test('with an authority is right', () => {
    expect(told([strict], { ...RANCHER, privateCa: 'true' })).toEqual([]);
    expect(told([strict], RANCHER, [setting('cacerts', '-----BEGIN CERTIFICATE-----')])).toEqual([]);
    expect(told([setting('agent-tls-mode', 'system-store')])).toEqual([]);
  });

  test('with an empty live setting cacerts is reported, whatever the chart says', () => {
    expect(told([strict], { ...RANCHER, serverUrl: undefined }, [setting('cacerts', '')])).toEqual([finding('value')]);
  });

  test('of a Rancher of which nothing is known is left alone', () => { expect(told([strict], { ...RANCHER, serverUrl: undefined })).toEqual([]); });
});

test('a program is judged by its chart', () => {
  const app = newApp();
  RancherSetting.serverUrl(newRancher(app), 'url', 'https://other.example.com');
  app.synth();
  expect(app.findings.map(({ rule }) => rule)).toContain('rancher-setting/server-url-differs');
});
