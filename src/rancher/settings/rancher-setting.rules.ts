import { checkRancherSetting, cureOfLackedSetting } from './rancher-setting.check';
import {
  KNOWN_SETTINGS,
  SETTING_GO,
  SETTING_VALIDATOR,
  isRancherSetting,
} from './rancher-setting.data';
import { AgentTlsMode, ANNOTATION_FORCE } from './rancher-setting.kind';
import { withoutSecrets } from './setting-formats.check';
import { atoi } from '../../core/go/go-json';
import { conditionOf } from '../../core/kind/ready/readiness';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, Manifest, records } from '../../core/manifest/manifest';
import { GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { Problem, problemsOf } from '../../core/problem/problem';
import { Findings } from '../../core/rule/findings';
import { Fact, rules } from '../../core/rule/kit/fact';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { goDuration } from '../../core/text/time';
import { hasFeature } from '../../core/version/target-features';
import { RancherGate, rancherVersionOf } from '../version/rancher-version';

const KINDS = [`${GROUPS.MANAGEMENT}/Setting`];

/** The path of strict verification in a manifest; undefined without it. */
function strictIn(manifest: Manifest): string | undefined {
  if (manifest.kind === 'Setting') {
    return manifest.metadata.name === 'agent-tls-mode' && manifest.value === AgentTlsMode.STRICT
      ? 'value'
      : undefined;
  }
  const found = records(manifest, 'spec', 'agentEnvVars').find(
    ([, { name, value }]) => name === 'STRICT_VERIFY' && value === 'true',
  );
  return found && `spec.agentEnvVars[${found[0]}].value`;
}

// undefined where neither a chart nor the live Rancher shows it
function hasAuthority(object: JudgedObject, world: World): boolean | undefined {
  const { serverUrl, privateCa } = object.target;
  const live = world.find(object, GROUPS.MANAGEMENT, 'Setting', undefined, 'cacerts')?.manifest;
  if (live) {
    return typeof live.value === 'string' ? live.value !== '' : undefined;
  }
  return serverUrl === undefined ? undefined : privateCa !== undefined;
}

/**
 * The value of another setting of the same Rancher, and whether it is known or the built-in
 * default.
 */
interface Other {
  readonly value: string;
  readonly known: boolean;
}

function otherSetting(object: JudgedObject, world: World, name: string): Other {
  const manifest = world.find(object, GROUPS.MANAGEMENT, 'Setting', undefined, name)?.manifest;
  const builtIn =
    typeof manifest?.default === 'string'
      ? manifest.default
      : (KNOWN_SETTINGS.get(name)?.default ?? '');
  const value = typeof manifest?.value === 'string' ? manifest.value : '';
  return { value: value || builtIn, known: manifest !== undefined };
}

/** The precondition that an object is one of some settings. */
function named(...names: readonly string[]): NonNullable<Fact['when']> {
  return ({ manifest }) => names.includes(manifest.metadata.name);
}

function durationMinutesOf(value: string): number | undefined {
  const seconds = goDuration(value);
  return seconds === undefined ? undefined : seconds / 60;
}

// a warning against a default that the live server may no longer have
const levelOf = ({ known }: Other): { level?: 'warning' } => (known ? {} : { level: 'warning' });

const SESSION = 'auth-user-session-ttl-minutes';
const RETENTION = ['disable-inactive-user-after', 'delete-inactive-user-after'];

const [LIFETIME, GRACE_PERIOD] = ['crt-default-ttl-minutes', 'crt-default-grace-period-minutes'];

const KUBECONFIG_TTL = 'kubeconfig-default-token-ttl-minutes';

const SERVER_FIELDS = ['default', 'customized', 'source'];
const STRICT_CHECK = 'AgentTlsStrictCheck';

/** The value, or else the default if it is known. */
function effectiveValueOf(manifest: Manifest): string {
  const builtIn =
    typeof manifest.default === 'string'
      ? manifest.default
      : KNOWN_SETTINGS.get(manifest.metadata.name)?.default;
  return (typeof manifest.value === 'string' && manifest.value) || (builtIn ?? '');
}

function* judgeText({ manifest, target }: JudgedObject, value: string): Iterable<Problem> {
  const { name } = manifest.metadata;
  const least = KNOWN_SETTINGS.get(name)?.least;
  const minutes = atoi(value);
  // earlier versions use the nearest allowed value, and 0 means never
  const refused =
    least !== undefined &&
    minutes !== undefined &&
    minutes < least &&
    hasFeature(target, RancherGate.REGISTRATION_TOKEN_LIFETIME_CHECKED) === true;
  if (!refused || isLate(value)) {
    yield* checkRancherSetting(name, value);
    return;
  }
  yield {
    path: 'value',
    value,
    message: `must be ${least} minutes or more`,
    fix: `use "${least}" or more, or "" for the default`,
    says: `value: Forbidden: must be >= ${least}`,
  };
}

function notText(value: unknown): Problem {
  const problem = {
    path: 'value',
    message: 'must be text',
    says: `value: Invalid value: must be of type string: "${Array.isArray(value) ? 'array' : typeof value}"`,
  };
  return typeof value === 'object'
    ? {
        ...problem,
        fix: 'write one text; where the setting holds JSON, write that JSON in quotes or as a block (value: |)',
      }
    : { ...problem, value, fix: `write "${plainText(value)}" in quotes` };
}

// the live value may be written again; it is not known without the live object
function* judgeReadOnly(
  { manifest, target }: JudgedObject,
  value: string,
  before: Manifest | undefined,
): Iterable<Problem> {
  const { name } = manifest.metadata;
  if (before && (before.value ?? '') === value) {
    return;
  }
  const isRefused = hasFeature(target, RancherGate.SETTINGS_PROTECTED);
  for (const { says, ...problem } of checkRancherSetting(name, value)) {
    yield {
      ...problem,
      ...(isRefused === false ? {} : { says }),
      ...(before && isRefused ? {} : { level: 'warning' as const }),
    };
  }
}

function hasPassed(cluster: Manifest): boolean {
  return conditionOf(cluster, STRICT_CHECK)?.status === 'True';
}

/** Rules for Rancher's settings. */
export const RANCHER_SETTING_RULES: readonly Rule[] = [
  ...rules({ kinds: KINDS }, [
    {
      id: 'rancher-setting/value',
      what: 'the value of a setting has the form that Rancher reads',
      source: SETTING_VALIDATOR,
      judge: (object, world) => {
        const { manifest } = object;
        const { value } = manifest;
        if (value === undefined || value === null) {
          return {
            path: 'value',
            level: 'warning',
            message: 'is missing: the object has no effect',
            fix: 'give a value, "" for the default',
          };
        } else if (typeof value !== 'string') {
          return [notText(value)];
        } else if (KNOWN_SETTINGS.get(manifest.metadata.name)?.readOnly) {
          return judgeReadOnly(object, value, world.beforeOf(object));
        } else {
          return judgeText(object, value);
        }
      },
    },
    {
      id: 'rancher-setting/unknown',
      what: 'Rancher knows the setting; an unknown one has no effect and is deleted or marked when Rancher starts',
      source: `${SETTING_GO}; rancher/rancher:pkg/controllers/dashboardapi/settings/settings.go cleanupUnknownSettings`,
      field: 'metadata.name',
      // a rule for all objects reports a missing name
      check: text((_, name, { target }: JudgedObject): Findings => {
        const version = rancherVersionOf(target);
        const fix = version && cureOfLackedSetting(name, version);
        if (fix) {
          return { message: `cannot be set on Rancher ${version}, which drops it`, fix };
        }
        return (
          !isRancherSetting(name) && {
            level: 'warning',
            message:
              'must be a setting of Rancher, which accepts any name and ignores those that it does not know',
            fix: 'compare it with kubectl get settings.management.cattle.io',
          }
        );
      }),
    },
    {
      id: 'rancher-setting/server-fields',
      level: 'warning',
      what: 'a Setting in a manifest has only its value: Rancher writes default, customized and source at every start',
      source: 'rancher/rancher:pkg/controllers/dashboardapi/settings/settings.go SetAll',
      judge: ({ manifest }) =>
        SERVER_FIELDS.filter((key) => manifest[key] !== undefined).map((path) => ({
          path,
          message: 'cannot be set: Rancher writes it',
          fix: 'remove it and set value alone',
        })),
    },
    {
      id: 'rancher-setting/from-environment',
      what: 'a setting that comes from an environment variable of Rancher cannot be set: the variable takes precedence, and Rancher 2.15 refuses it',
      source: `${SETTING_VALIDATOR} admitUpdate`,
      judgeUpdate: ({ manifest, target }, before) => {
        if (before.source !== 'env' || (manifest.value ?? '') === (before.value ?? '')) {
          return undefined;
        }
        const variable = `CATTLE_${manifest.metadata.name.toUpperCase().replace(/-/g, '_')}`;
        return {
          path: 'value',
          message: `cannot be set: Rancher has it from its environment variable ${variable}`,
          fix: "change the variable, e.g. by extraEnv of Rancher's chart, or remove it",
          ...(hasFeature(target, RancherGate.SETTINGS_PROTECTED) === false
            ? {}
            : { says: 'setting with source "" cannot update setting with source "env"' }),
        };
      },
    },
    {
      id: 'rancher-setting/tls-mode-strict',
      what: `agent-tls-mode becomes strict when every cluster has passed the check of it, or by the annotation ${ANNOTATION_FORCE}`,
      source: `${SETTING_VALIDATOR} validateAgentTLSMode`,
      *judgeUpdate(object, before, world) {
        const { manifest } = object;
        if (
          manifest.metadata.name !== 'agent-tls-mode' ||
          annotationsOf(manifest)[ANNOTATION_FORCE] === 'true'
        ) {
          return;
        }
        const now = { default: before.default, ...manifest };
        if (
          effectiveValueOf(before) !== AgentTlsMode.SYSTEM_STORE ||
          effectiveValueOf(now) !== AgentTlsMode.STRICT
        ) {
          return;
        }
        const fix = `wait until the clusters have connected with Rancher's cacerts, or set the annotation ${ANNOTATION_FORCE}: "true", which can cut them off`;
        const clusters = world
          .beside(object, GROUPS.MANAGEMENT, 'Cluster')
          .map((cluster) => cluster.manifest)
          .filter(({ metadata }) => metadata.name !== LOCAL_CLUSTER);
        const unready = clusters
          .filter((cluster) => !hasPassed(cluster))
          .map(({ metadata }) => metadata.name);
        const becomes =
          manifest.value === AgentTlsMode.STRICT
            ? 'become strict'
            : `be reset to ${AgentTlsMode.STRICT}, its default,`;
        const says = (cluster: string) =>
          `value.default: Forbidden: ${STRICT_CHECK} condition of cluster ${cluster} isn't 'True'`;
        if (unready.length > 0) {
          yield {
            path: 'value',
            message: `cannot ${becomes} before ${unready.join(', ')} passed the check`,
            fix,
            says: says(unready[0]!),
          };
        } else if (clusters.length === 0 && !world.isListed(object, GROUPS.MANAGEMENT, 'Cluster')) {
          yield {
            path: 'value',
            level: 'warning',
            message: `cannot ${becomes} before every cluster has passed the check`,
            fix,
            says: says('…'),
          };
        }
      },
    },
    {
      id: 'rancher-setting/deleted',
      level: 'warning',
      what: 'a setting is reset by the value "", not by deleting the object, which Rancher creates again only at its next start',
      source: 'rancher/rancher:pkg/controllers/dashboardapi/settings/settings.go SetAll',
      when: ({ manifest }) => isRancherSetting(manifest.metadata.name),
      judgeDeletion: () => ({
        message: 'is no longer declared: its value is kept, or the object is deleted if you prune',
        fix: 'keep it with value: "" for the default',
      }),
    },
    {
      id: 'rancher-setting/inactive-users',
      what: 'users are disabled and deleted for inactivity after auth-user-session-ttl-minutes at the earliest',
      source: `${SETTING_VALIDATOR} isLessThanUserSessionTTL, validateAuthUserSessionTTLMinutes`,
      when: named(SESSION, ...RETENTION),
      field: 'value',
      check: text((path, value, object: JudgedObject, world: World): Findings => {
        if (object.manifest.metadata.name !== SESSION) {
          const session = otherSetting(object, world, SESSION);
          const [after, minutes] = [durationMinutesOf(value), atoi(session.value)];
          return (
            after !== undefined &&
            minutes !== undefined &&
            after > 0 &&
            after < minutes && {
              message: `must be at least ${SESSION}, ${minutes} minutes`,
              fix: `use ${Math.ceil(minutes / 60)}h or more`,
              says: `value: Forbidden: can't be less than ${SESSION}`,
              ...levelOf(session),
            }
          );
        }
        return problemsOf(RETENTION, (setting) => {
          const other = otherSetting(object, world, setting);
          const [minutes, after] = [atoi(value), durationMinutesOf(other.value)];
          return (
            minutes !== undefined &&
            after !== undefined &&
            after > 0 &&
            minutes > after && {
              path,
              value,
              message: `must be at most ${setting}, ${other.value}`,
              fix: `use ${Math.floor(after)} or less`,
              says: `value: Forbidden: can't be greater than ${setting}`,
            }
          );
        });
      }),
    },
    {
      id: 'rancher-setting/session-idle',
      what: 'the idle time of a login is at most the lifetime of a login',
      says: `value: Forbidden: can't be greater than ${SESSION}`,
      source: `${SETTING_VALIDATOR} validateAuthUserSessionIdleTTLMinutes`,
      when: named('auth-user-session-idle-ttl-minutes'),
      field: 'value',
      check: text((_, value, object: JudgedObject, world: World): Findings => {
        const session = otherSetting(object, world, SESSION);
        const [idle, minutes] = [atoi(value), atoi(session.value)];
        return (
          idle !== undefined &&
          minutes !== undefined &&
          minutes >= 0 &&
          idle > minutes && {
            message: `must be at most ${SESSION}, ${minutes} minutes`,
            fix: `use ${minutes} or less`,
            ...levelOf(session),
          }
        );
      }),
    },
    {
      id: 'rancher-setting/registration-token-grace',
      what: 'the grace period of registration tokens is less than their lifetime; before Rancher 2.13.9, 2.14.5 and 2.15.1 it is 80 % of it otherwise',
      source: `${SETTING_VALIDATOR} validateCRTDefaultTTL; rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go ClampGracePeriod`,
      when: named(GRACE_PERIOD, LIFETIME),
      field: 'value',
      check: text((_, value, object: JudgedObject, world: World): Findings => {
        const isGrace = object.manifest.metadata.name === GRACE_PERIOD;
        const refuses =
          hasFeature(object.target, RancherGate.REGISTRATION_TOKEN_LIFETIME_CHECKED) === true;
        const [name, otherName, relation, fix] = isGrace
          ? [GRACE_PERIOD, LIFETIME, 'less than', 'use less']
          : [LIFETIME, GRACE_PERIOD, 'greater than', 'use more'];
        const other = otherSetting(object, world, otherName);
        const [own, theirs] = [atoi(value), atoi(other.value)];
        const [grace, ttl] = isGrace ? [own, theirs] : [theirs, own];
        return (
          (isGrace || refuses) &&
          grace !== undefined &&
          ttl !== undefined &&
          ttl > 0 &&
          grace >= ttl && {
            ...(refuses ? levelOf(other) : { level: 'warning' }),
            message: `must be ${relation} ${otherName}, ${theirs}`,
            fix,
            ...(refuses
              ? {
                  says: `value: Forbidden: ${name} (${own}) must be ${relation} ${otherName} (${theirs})`,
                }
              : {}),
          }
        );
      }),
    },
    {
      id: 'rancher-setting/token-never-expires',
      level: 'warning',
      what: 'tokens of kubeconfigs, and so of cloud credentials, never expire when both their default and the maximum are 0',
      source: 'rancher/rancher:pkg/auth/tokens/manager.go ClampToMaxTTL; harvester/harvester#5827',
      // before 2.8 both are 0 by default
      gate: RancherGate.TOKEN_TTL_DEFAULTS,
      field: 'value',
      check: text((_, value, object: JudgedObject, world: World): Findings => {
        const { name } = object.manifest.metadata;
        const maxName = hasFeature(object.target, RancherGate.KUBECONFIG_MAX_TTL_SETTING)
          ? 'kubeconfig-max-token-ttl-minutes'
          : 'auth-token-max-ttl-minutes';
        if (atoi(value) !== 0 || (name !== KUBECONFIG_TTL && name !== maxName)) {
          return undefined;
        }
        const otherName = name === KUBECONFIG_TTL ? maxName : KUBECONFIG_TTL;
        const other = otherSetting(object, world, otherName);
        const minutes = atoi(other.value);
        return (
          minutes !== undefined &&
          minutes !== 0 && {
            fix: `set ${otherName} to "0" as well, e.g. by TokenLifetime`,
            message: `cannot make tokens permanent alone: ${otherName} is ${minutes}${other.known ? '' : ' by default'}, so kubeconfig tokens expire after ${minutes} minutes`,
          }
        );
      }),
    },
    {
      id: 'rancher-setting/server-url-differs',
      level: 'warning',
      what: 'the setting server-url is the serverUrl of the RancherChart: Rancher derives its URLs from the one, the program from the other',
      source: 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go getURL',
      when: named('server-url'),
      field: 'value',
      check: text(
        (_, value, { target }: JudgedObject): Findings =>
          // another rule reports text that is not a URL
          target.serverUrl !== undefined &&
          URL.canParse(value) &&
          URL.canParse(target.serverUrl) &&
          new URL(value).origin !== new URL(target.serverUrl).origin && {
            value: withoutSecrets(value),
            message: `must be ${target.serverUrl}, the serverUrl of the RancherChart: registration URLs, kubeconfigs and nodes use one or the other`,
            fix: 'give both the same URL',
          },
      ),
    },
  ]),
  ...rules({ kinds: [...KINDS, `${GROUPS.PROVISIONING}/Cluster`] }, [
    {
      id: 'rancher-setting/strict-without-ca',
      level: 'warning',
      what: 'agents that trust the setting cacerts alone (agent-tls-mode strict, STRICT_VERIFY) need an authority in it',
      says: 'Strict CA verification is enabled but encountered error finding root CA',
      source: 'rancher/rancher:cmd/agent/main.go, pkg/systemtemplate/import.go',
      judge: (object, world) => {
        const path = strictIn(object.manifest);
        return path === undefined || hasAuthority(object, world) !== false
          ? undefined
          : {
              path,
              message:
                'cannot be strict without an authority in the setting cacerts: agents would trust no certificate and stop',
              fix: `set caCertificates on the RancherChart and install Rancher with that authority (privateCA), or use ${AgentTlsMode.SYSTEM_STORE}`,
            };
      },
    },
  ]),
];
