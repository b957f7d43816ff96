import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { withoutSecrets } from '../model/checks/server-url';
import { isLate } from '../model/late-token';
import { isRecord, Manifest, valueAt } from '../model/manifest';
import { GROUPS } from '../model/names';
import { Problem } from '../model/problem';
import { AGENT_TLS_MODES, RANCHER_SETTINGS } from '../model/rancher-settings/names';

const SETTING = `${GROUPS.MANAGEMENT}/Setting`;

const SERVER_URL: Rule = {
  id: 'rancher-setting/server-url-differs',
  level: 'warning',
  kinds: [SETTING],
  what: 'the setting server-url is the serverUrl of the RancherChart: Rancher makes its URLs of the one, the program of the other',
  source: 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go getURL',
  *judge({ manifest, target: { serverUrl } }: JudgedObject): Iterable<Problem> {
    const { value, metadata: { name } } = manifest;
    if (name !== RANCHER_SETTINGS.SERVER_URL || serverUrl === undefined || typeof value !== 'string' || value === '' || isLate(value)) { return; }
    // what is no URL is reported by another rule
    if (!URL.canParse(value) || !URL.canParse(serverUrl) || new URL(value).origin === new URL(serverUrl).origin) { return; }
    yield {
      path: 'value',
      value: withoutSecrets(value),
      message: `is not ${serverUrl}, the serverUrl of the RancherChart: registration URLs, kubeconfigs and nodes get one or the other`,
      fix: 'give both the same URL',
    };
  },
};

const STRICT: Rule = {
  id: 'rancher-setting/strict-without-ca',
  level: 'warning',
  kinds: [SETTING, `${GROUPS.PROVISIONING}/Cluster`],
  what: 'agents that trust the setting cacerts alone (agent-tls-mode strict, STRICT_VERIFY) need an authority in it',
  says: 'Strict CA verification is enabled but encountered error finding root CA',
  source: 'rancher/rancher:cmd/agent/main.go, pkg/systemtemplate/import.go',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const path = strictIn(object.manifest);
    if (path === undefined || hasAuthority(object, world) !== false) { return; }
    yield {
      path,
      message: 'makes the agents of all clusters trust nothing but the setting cacerts, and no authority is known: they would stop',
      fix: `set caCertificates on the RancherChart and install Rancher with that authority (privateCA), or use ${AGENT_TLS_MODES.SYSTEM_STORE}`,
    };
  },
};

/** Where a manifest asks for strict verification; undefined where it does not. */
function strictIn(manifest: Manifest): string | undefined {
  if (manifest.kind === 'Setting') {
    return manifest.metadata.name === RANCHER_SETTINGS.AGENT_TLS_MODE && manifest.value === AGENT_TLS_MODES.STRICT ? 'value' : undefined;
  }
  const variables = valueAt(manifest, 'spec', 'agentEnvVars');
  const index = Array.isArray(variables) ? variables.findIndex((variable) => isRecord(variable) && variable.name === 'STRICT_VERIFY' && variable.value === 'true') : -1;
  return index < 0 ? undefined : `spec.agentEnvVars[${index}].value`;
}

// undefined where neither a chart nor the setting of the live Rancher says it
function hasAuthority(object: JudgedObject, world: World): boolean | undefined {
  const { serverUrl, privateCa } = object.target;
  const live = world.find(object, GROUPS.MANAGEMENT, 'Setting', undefined, RANCHER_SETTINGS.CA_CERTS)?.manifest;
  if (live) { return typeof live.value === 'string' ? live.value !== '' : undefined; }
  return serverUrl === undefined ? undefined : privateCa !== undefined;
}

/** Rules for what settings of Rancher and its chart say of the same. */
export const SETTING_CHART_RULES: readonly Rule[] = [SERVER_URL, STRICT];
