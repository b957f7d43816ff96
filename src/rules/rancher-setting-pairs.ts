import { rancherHas } from './rancher-gates';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { goDuration } from '../model/checks/go-duration';
import { atoi } from '../model/harvester-settings/go-numbers';
import { isLate } from '../model/late-token';
import { Manifest } from '../model/manifest';
import { GROUPS } from '../model/names';
import { Problem } from '../model/problem';
import { rancherSetting } from '../model/rancher-settings/catalogue';
import { SETTING_VALIDATOR } from '../model/rancher-settings/entry';
import { RANCHER_SETTINGS } from '../model/rancher-settings/names';
import { GateId } from '../versions/gate-id';

const KINDS = ['management.cattle.io/Setting'];

/** Another setting of the same Rancher: what it says, and whether that is known or the built-in default. */
interface Other {
  readonly value: string;
  readonly known: boolean;
}

function otherSetting(object: JudgedObject, world: World, name: string): Other {
  const manifest = world.find(object, GROUPS.MANAGEMENT, 'Setting', undefined, name)?.manifest;
  const builtIn = typeof manifest?.default === 'string' ? manifest.default : rancherSetting(name)?.default ?? '';
  const value = typeof manifest?.value === 'string' ? manifest.value : '';
  return { value: value || builtIn, known: manifest !== undefined };
}

function valueOf({ value }: Manifest): string | undefined {
  return typeof value === 'string' && value !== '' && !isLate(value) ? value : undefined;
}

function minutesOf(text: string): number | undefined {
  const parsed = atoi(text);
  return 'number' in parsed ? parsed.number : undefined;
}

function durationMinutesOf(text: string): number | undefined {
  const seconds = goDuration(text);
  return seconds === undefined ? undefined : seconds / 60;
}

// against a default that the live server may not have any more, a warning
const levelOf = ({ known }: Other): { level?: 'warning' } => (known ? {} : { level: 'warning' });

const RETENTION = [RANCHER_SETTINGS.DISABLE_INACTIVE_USER, RANCHER_SETTINGS.DELETE_INACTIVE_USER];

const INACTIVITY: Rule = {
  id: 'rancher-setting/inactive-users',
  level: 'error',
  kinds: KINDS,
  what: `users are disabled and deleted for inactivity after ${RANCHER_SETTINGS.SESSION_TTL} at the earliest`,
  source: `${SETTING_VALIDATOR} isLessThanUserSessionTTL, validateAuthUserSessionTTLMinutes`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name } = object.manifest.metadata;
    const value = valueOf(object.manifest);
    if (value === undefined) { return; }
    if (RETENTION.some((setting) => setting === name)) {
      const session = otherSetting(object, world, RANCHER_SETTINGS.SESSION_TTL);
      const [after, minutes] = [durationMinutesOf(value), minutesOf(session.value)];
      if (after !== undefined && minutes !== undefined && after > 0 && after < minutes) {
        yield {
          path: 'value',
          value,
          message: `is less than ${RANCHER_SETTINGS.SESSION_TTL}, ${minutes} minutes`,
          fix: `use ${Math.ceil(minutes / 60)}h or more`,
          says: `value: Forbidden: can't be less than ${RANCHER_SETTINGS.SESSION_TTL}`,
          ...levelOf(session),
        };
      }
    } else if (name === RANCHER_SETTINGS.SESSION_TTL) {
      for (const setting of RETENTION) {
        const other = otherSetting(object, world, setting);
        const [minutes, after] = [minutesOf(value), durationMinutesOf(other.value)];
        if (minutes !== undefined && after !== undefined && after > 0 && minutes > after) {
          yield {
            path: 'value',
            value,
            message: `is more than ${setting}, ${other.value}`,
            fix: `use ${Math.floor(after)} or less`,
            says: `value: Forbidden: can't be greater than ${setting}`,
          };
        }
      }
    }
  },
};

const IDLE: Rule = {
  id: 'rancher-setting/session-idle',
  level: 'error',
  kinds: KINDS,
  what: 'a login ends for idleness no later than it ends anyway',
  says: `value: Forbidden: can't be greater than ${RANCHER_SETTINGS.SESSION_TTL}`,
  source: `${SETTING_VALIDATOR} validateAuthUserSessionIdleTTLMinutes`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const value = valueOf(object.manifest);
    if (object.manifest.metadata.name !== RANCHER_SETTINGS.SESSION_IDLE_TTL || value === undefined) { return; }
    const session = otherSetting(object, world, RANCHER_SETTINGS.SESSION_TTL);
    const [idle, minutes] = [minutesOf(value), minutesOf(session.value)];
    if (idle !== undefined && minutes !== undefined && minutes >= 0 && idle > minutes) {
      yield { path: 'value', value, message: `is more than ${RANCHER_SETTINGS.SESSION_TTL}, ${minutes} minutes`, fix: `use ${minutes} or less`, ...levelOf(session) };
    }
  },
};

const GRACE: Rule = {
  id: 'rancher-setting/registration-token-grace',
  level: 'error',
  kinds: KINDS,
  what: 'the grace period of registration tokens is less than their life; before Rancher 2.14.5 and 2.15.1 it counts as 80 % of it otherwise',
  source: `${SETTING_VALIDATOR} validateCRTDefaultTTL; rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go ClampGracePeriod`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { CRT_DEFAULT_TTL, CRT_DEFAULT_GRACE } = RANCHER_SETTINGS;
    const value = valueOf(object.manifest);
    const { name } = object.manifest.metadata;
    const refuses = rancherHas(object.target, GateId.REGISTRATION_TOKEN_LIFETIME_CHECKED) === true;
    if (value === undefined || (name !== CRT_DEFAULT_GRACE && !(refuses && name === CRT_DEFAULT_TTL))) { return; }
    const other = otherSetting(object, world, name === CRT_DEFAULT_GRACE ? CRT_DEFAULT_TTL : CRT_DEFAULT_GRACE);
    const [own, theirs] = [minutesOf(value), minutesOf(other.value)];
    const [grace, ttl] = name === CRT_DEFAULT_GRACE ? [own, theirs] : [theirs, own];
    if (grace === undefined || ttl === undefined || ttl <= 0 || grace < ttl) { return; }
    const [relation, fix] = name === CRT_DEFAULT_GRACE ? ['less than', 'use less'] : ['greater than', 'use more'];
    const otherName = name === CRT_DEFAULT_GRACE ? CRT_DEFAULT_TTL : CRT_DEFAULT_GRACE;
    yield {
      path: 'value',
      value,
      ...(refuses ? levelOf(other) : { level: 'warning' as const }),
      message: `is not ${relation} ${otherName}, ${theirs}`,
      fix,
      ...(refuses ? { says: `value: Forbidden: ${name} (${own}) must be ${relation} ${otherName} (${theirs})` } : {}),
    };
  },
};

const NEVER: Rule = {
  id: 'rancher-setting/token-never-expires',
  level: 'warning',
  kinds: KINDS,
  what: 'tokens of kubeconfigs, and so of cloud credentials, never expire when both their default and the maximum are 0',
  source: 'rancher/rancher:pkg/auth/tokens/manager.go ClampToMaxTTL; harvester/harvester#5827',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    // before 2.8 both are 0 by default
    if (rancherHas(object.target, GateId.TOKEN_TTL_DEFAULTS) === false) { return; }
    const { KUBECONFIG_DEFAULT_TTL, KUBECONFIG_MAX_TTL, AUTH_TOKEN_MAX_TTL } = RANCHER_SETTINGS;
    const { name } = object.manifest.metadata;
    const maxName = rancherHas(object.target, GateId.KUBECONFIG_MAX_TTL_SETTING) ? KUBECONFIG_MAX_TTL : AUTH_TOKEN_MAX_TTL;
    const value = valueOf(object.manifest);
    if (value === undefined || minutesOf(value) !== 0) { return; }
    const otherName = name === KUBECONFIG_DEFAULT_TTL ? maxName : name === maxName ? KUBECONFIG_DEFAULT_TTL : undefined;
    if (!otherName) { return; }
    const other = otherSetting(object, world, otherName);
    const minutes = minutesOf(other.value);
    if (minutes === undefined || minutes === 0) { return; }
    yield {
      path: 'value',
      value,
      fix: `set ${otherName} to "0" as well, e.g. by TokenLifetime`,
      message: `alone does not make tokens last: ${otherName} is ${minutes}${other.known ? '' : ' by default'}, so those of kubeconfigs expire after ${minutes} minutes`,
    };
  },
};

/** Rules for settings that judge each other. */
export const SETTING_PAIR_RULES: readonly Rule[] = [INACTIVITY, IDLE, GRACE, NEVER];
