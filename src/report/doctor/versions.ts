import { Check, Symptom } from './diagnosis';
import { LiveWorld, SeenTarget, settingOf } from './live-world';
import { AssemblyTarget } from '../../core/output/assembly';
import { ProductVersion } from '../../core/version/product-version';
import { registrationOf } from '../../harvester/settings/catalogue/registration.check';
import { HarvesterVersion } from '../../harvester/version/harvester-version';
import { RANCHER_SERVER_VERSION } from '../../rancher/settings/rancher-setting.kind';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { SupportLevel, SupportMatrix } from '../../rancher/version/support-matrix';

type Managed = Exclude<AssemblyTarget['kind'], 'guest'>;

const VERSION_SETTING: Record<Managed, string> = { rancher: RANCHER_SERVER_VERSION, harvester: 'server-version' };

const PARSERS = { rancher: (text: string) => RancherVersion.parse(text), harvester: (text: string) => HarvesterVersion.parse(text) };

const PRODUCTS: Record<Managed, string> = { rancher: 'Rancher', harvester: 'Harvester' };

// builds without a tag name themselves after a branch: they cannot be compared
function liveVersion<K extends Managed>(target: SeenTarget, kind: K): ReturnType<(typeof PARSERS)[K]> | undefined {
  try {
    const version = PARSERS[kind](settingOf(target, VERSION_SETTING[kind]));
    return version.majorNumber === 0 ? undefined : version as ReturnType<(typeof PARSERS)[K]>;
  } catch {
    return undefined;
  }
}

/** The Rancher of the program that a Harvester registers with; the only one where the Harvester names none. */
export function rancherOf(harvester: SeenTarget, world: LiveWorld): SeenTarget | undefined {
  const ranchers = world.ofKind('rancher');
  const { url } = registrationOf(settingOf(harvester, 'cluster-registration-url'));
  if (!URL.canParse(url)) { return ranchers.length === 1 ? ranchers[0] : undefined; }
  return ranchers.find((rancher) => hostOf(serverUrlOf(rancher)) === new URL(url).host);
}

/** The address that clusters reach a Rancher by: its live setting, else the URL of the program. */
export function serverUrlOf(rancher: SeenTarget): string {
  return settingOf(rancher, 'server-url') || (rancher.target.properties.serverUrl ?? '');
}

export function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

const NOT_AS_NAMED: Check = {
  id: 'version/not-as-named',
  level: 'warning',
  what: 'the running version is the one that the program names',
  source: 'the program: what it writes depends on the versions that its charts name',
  on: ['rancher', 'harvester'],
  needs: ['settings'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const kind = seen.target.kind as Managed;
    const live: ProductVersion | undefined = liveVersion(seen, kind);
    if (!live) { return; }
    const named: ProductVersion = PARSERS[kind](seen.target.version);
    if (live.compareTo(named) === 0) { return; }
    yield {
      level: live.minor === named.minor ? 'info' : 'error',
      message: `runs ${PRODUCTS[kind]} ${live}, the program names ${named}`,
      fix: `name version ${live} in the program and synthesize again, or upgrade ${PRODUCTS[kind]} to ${named}`,
    };
  },
};

const NOT_TOGETHER: Check = {
  id: 'version/not-together',
  level: 'warning',
  what: 'the versions of Rancher and Harvester support each other',
  source: 'https://www.suse.com/suse-harvester/support-matrix/all-supported-versions/',
  on: ['harvester'],
  needs: ['settings'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    const rancher = rancherOf(seen, world);
    const versions = rancher && [liveVersion(rancher, 'rancher'), liveVersion(seen, 'harvester')] as const;
    if (!versions?.[0] || !versions[1]) { return; }
    const { level, reason, confirmed, source } = SupportMatrix.rancherHarvester(versions[0], versions[1]);
    if (level === SupportLevel.SUPPORTED) { return; }
    yield {
      level: level === SupportLevel.UNSUPPORTED ? 'warning' : 'info',
      message: `Harvester ${versions[1]} is managed by Rancher ${versions[0]} (${rancher!.target.name}): ${reason}`,
      fix: `upgrade one of them to a version that the other supports (known from: ${source}${confirmed ? '' : '; see the support matrix to be sure'})`,
    };
  },
};

const NO_SERVER_URL: Check = {
  id: 'rancher/no-server-url',
  level: 'error',
  what: 'Rancher has a server-url: without it no cluster can be imported',
  source: 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken: manifestUrl is left empty',
  on: ['rancher'],
  needs: ['settings'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const live = settingOf(seen, 'server-url');
    const { serverUrl } = seen.target.properties;
    if (live === '') {
      yield { message: 'its setting server-url is empty, so nothing can be imported', fix: `set server-url${serverUrl === undefined ? '' : ` to ${serverUrl}`}` };
    } else if (serverUrl !== undefined && hostOf(live) !== hostOf(serverUrl)) {
      yield { message: `its setting server-url is ${live}, the program names ${serverUrl}`, fix: 'make them the same: agents of imported clusters connect to the URL of the Setting' };
    }
  },
};

export const VERSION_CHECKS: readonly Check[] = [NOT_AS_NAMED, NOT_TOGETHER, NO_SERVER_URL];
