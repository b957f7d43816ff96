import { TargetKind } from '../../core/construct/target';
import {
  Draft,
  FoundObject,
  Property,
  TargetReference,
  call,
  Surroundings,
} from '../../core/draft/draft';
import { GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { attempt } from '../../core/text/values';
import { referToCluster } from '../../guest/provisioning-cluster.adopt';
import {
  registeredBy,
  registrationOf,
} from '../../harvester/settings/catalogue/registration.facts';
import { printHarvesterSetting } from '../../harvester/settings/harvester-settings.data';

/**
 * The registration of a Harvester under an ID; undefined without one, or if its text is not what
 * constructs write.
 */
export function registrationReferences(target: string, clusterId: string, around: Surroundings) {
  const setting = around.find({
    target,
    group: GROUPS.HARVESTER,
    kind: 'Setting',
    name: SETTING_REGISTRATION_URL,
  });
  const found = setting && registrationBy(setting, around);
  return found?.clusterId === clusterId ? found : undefined;
}

function registrationBy(setting: FoundObject, around: Surroundings) {
  const { value } = setting.manifest;
  const registered = registeredBy(value);
  const { version } = around.cluster(setting.target);
  if (typeof value !== 'string' || !registered || version === undefined) {
    return undefined;
  }
  const { url, insecureSkipTlsVerify, json } = registrationOf(value);
  // a patch would print the token
  const own = { url, insecureSkipTlsVerify: json && insecureSkipTlsVerify };
  if (
    attempt(() => printHarvesterSetting(SETTING_REGISTRATION_URL, own, () => version)) !== value
  ) {
    return undefined;
  }
  const { clusterId, token } = registered;
  // the token is a secret: never print it
  return {
    setting,
    clusterId,
    token,
    insecureSkipTlsVerify: own.insecureSkipTlsVerify || undefined,
  };
}

/**
 * The Setting of a Harvester that was imported otherwise: with the token that Rancher has for the
 * cluster.
 */
export function registrationDraft(object: FoundObject, around: Surroundings): Draft | undefined {
  const found = registrationBy(object, around);
  const rancher = found && rancherOf(found.clusterId, around);
  if (!found || rancher === undefined) {
    return undefined;
  }
  const token = call(
    'RegistrationToken',
    'new',
    new TargetReference(rancher),
    `${object.target}-registration`,
    { cluster: referToCluster(rancher, found.clusterId) },
  );
  const props = {
    url: new Property(token, 'registrationUrl'),
    insecureSkipTlsVerify: found.insecureSkipTlsVerify,
  };
  return {
    type: 'HarvesterSetting',
    method: 'clusterRegistrationUrl',
    id: SETTING_REGISTRATION_URL,
    isNamedById: false,
    props,
    declares: [object],
  };
}

function rancherOf(clusterId: string, around: Surroundings): string | undefined {
  return around.clusters.find(
    ({ name, kind }) =>
      kind === TargetKind.RANCHER &&
      around.find({ target: name, group: GROUPS.MANAGEMENT, kind: 'Cluster', name: clusterId }) !==
        undefined,
  )?.name;
}
