import { AgentTrouble, podTroubles, readLogs, wordsOf } from './agent-pods';
import { groupOf, isRecord, valueAt } from '../../core/manifest/manifest';
import { API_VERSIONS, GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { IMPORT_PATH, registrationOf } from '../../harvester/settings/catalogue/registration.check';
import { settingReadiness } from '../../harvester/settings/harvester-setting.kind';
import { CLUSTER_AGENT } from '../../rancher/cluster/management-cluster.kind';
import { AgentTlsMode } from '../../rancher/settings/rancher-setting.check';
import { Cluster, LiveObject, RequestOptions } from '../cluster/cluster';
import { ApiError } from '../transport/api';

/** A Harvester that may be the one that an import is of. */
export interface Candidate {
  readonly name: string;
  readonly cluster: Cluster;
  readonly version: string;
}

/** Whether a live object is an import whose agent is not connected: then it is worth looking for the reason where the agent runs. */
function waitsForAgent(live: LiveObject): boolean {
  return groupOf(live.apiVersion) === GROUPS.PROVISIONING && live.kind === 'Cluster' && !isRecord(valueAt(live, 'spec', 'rkeConfig'))
    && managementIdOf(live) !== '';
}

/** The same as one text, without tokens; undefined if no problem is found. */
export async function agentWords(
  cluster: LiveObject, rancher: Cluster, harvesters: () => Promise<readonly Candidate[]>, options: RequestOptions = {},
): Promise<string | undefined> {
  const troubles = waitsForAgent(cluster) ? await whyNotConnected(cluster, rancher, await harvesters(), options) : [];
  const texts = troubles.map(({ message, fix, object = cluster }) => `${wordsOf(message, object)}. Fix: ${fix}`);
  return texts.length === 0 ? undefined : [...new Set(texts)].join('; ');
}

/**
 * Why the agent of an import is not connected, by its Harvester's registration Setting, Deployment, pods and logs. Empty if no problem is found. Never throws
 * for objects that cannot be read.
 *
 * @param cluster the live import on Rancher
 */
async function whyNotConnected(
  cluster: LiveObject, rancher: Cluster, harvesters: readonly Candidate[], options: RequestOptions = {},
): Promise<readonly AgentTrouble[]> {
  const found: AgentTrouble[] = [];
  const id = managementIdOf(cluster);
  for (const harvester of harvesters) {
    const setting = await readable(async () => harvester.cluster.read(settingRef(API_VERSIONS.HARVESTER, SETTING_REGISTRATION_URL), options));
    if (!setting || registeredId(setting) !== id) { continue; }
    found.push(...(await onHarvester(setting, harvester, options)).map((trouble) => ({ ...trouble, message: `on ${harvester.name}: ${trouble.message}` })));
    found.push(...await strictWithoutCa(rancher, options));
    return found;
  }
  if (harvesters.length === 0) { return []; }
  return [{
    kind: 'registration',
    message: `no Harvester of this program has a registration URL of ${id} yet (Setting ${SETTING_REGISTRATION_URL} of ${harvesters.map(({ name }) => name).join(', ')})`,
    fix: 'see what that Setting waits for; if the program does not declare it, set it on the Harvester',
  }];
}

async function onHarvester(setting: LiveObject, { cluster, version }: Candidate, options: RequestOptions): Promise<AgentTrouble[]> {
  const { state, why } = settingReadiness(setting, version);
  if (state === 'failing') {
    return [{
      kind: 'registration',
      object: setting,
      message: `Setting ${SETTING_REGISTRATION_URL} is configured=False: ${why}`,
      fix: 'correct the URL or what the message names; Harvester retries with growing pauses',
    }];
  }
  if (state !== 'ready') { return []; }
  const { namespace, deployment: name } = CLUSTER_AGENT;
  const deployment = await readable(async () => cluster.read({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name }, options));
  if (deployment === undefined) {
    return [{
      kind: 'missing',
      object: setting,
      message: `there is no Deployment ${namespace}/${name}, although the registration URL was fetched`,
      fix: 'to let Harvester fetch the URL again, remove the annotation harvesterhci.io/hash from the Setting',
    }];
  }
  const pods = await readable(async () => cluster.list(API_VERSIONS.CORE, 'Pod', { ...options, namespace, labelSelector: CLUSTER_AGENT.selector }));
  if (!pods) { return []; }
  if (pods.length === 0 && deployment) {
    return [{
      kind: 'not-running',
      object: deployment,
      message: `Deployment ${namespace}/${name} has no pods`,
      fix: 'see the events of its ReplicaSet: a quota, a policy or an admission webhook keeps them from being created',
    }];
  }
  await readLogs(pods, cluster, true, options);
  return pods.flatMap(podTroubles);
}

/** Agents that trust nothing but the authority of Rancher's setting cacerts, which is empty. */
async function strictWithoutCa(rancher: Cluster, options: RequestOptions): Promise<AgentTrouble[]> {
  const [mode, ca] = await Promise.all(['agent-tls-mode', 'cacerts'].map(async (name) => (
    readable(async () => rancher.read(settingRef(API_VERSIONS.MANAGEMENT, name), options)))));
  if (!mode || !ca || effective(mode) !== AgentTlsMode.STRICT || effective(ca) !== '') { return []; }
  return [{
    kind: 'registration',
    object: mode,
    message: 'agent-tls-mode of Rancher is strict and its cacerts is empty: agents trust no certificate',
    fix: 'set agent-tls-mode to system-store, or install Rancher with the authority of its certificate',
  }];
}

// undefined where it is not there; null where it may not be read, or cannot be right now
async function readable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.failure !== 'aborted') { return null; }
    throw error;
  }
}

function settingRef(apiVersion: string, name: string): { readonly apiVersion: string; readonly kind: string; readonly name: string } {
  return { apiVersion, kind: 'Setting', name };
}

function effective({ value, default: byDefault }: LiveObject): string {
  return [value, byDefault].find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}

function registeredId({ value }: LiveObject): string | undefined {
  const { url } = registrationOf(typeof value === 'string' ? value : '');
  return URL.canParse(url) ? IMPORT_PATH.exec(new URL(url).pathname)?.[2] : undefined;
}

function managementIdOf(cluster: LiveObject): string {
  const id = valueAt(cluster, 'status', 'clusterName');
  return typeof id === 'string' ? id : '';
}
