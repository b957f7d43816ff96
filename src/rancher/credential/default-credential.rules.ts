import { defaultAccountName, defaultCredentialName } from './default-credential.facts';
import { GLOBAL_DATA } from './secret.kind';
import { kindKey } from '../../core/manifest/manifest';
import { GROUPS, HARVESTER_PUBLIC } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { JudgedTarget, rancherOf, World } from '../../core/rule/rule';
import { byObject } from '../../core/text/values';
import { rkeConfigOf } from '../../guest/cluster/cluster-reader.facts';
import { managementClusterIdOf } from '../cluster/cluster.facts';

/** The imports that a program declares. */
interface Imports {
  /** Each as `<target of Rancher>/<management cluster ID>`. */
  readonly ids: ReadonlySet<string>;
  /** The targets of Rancher with an import whose ID is not known yet. */
  readonly late: ReadonlySet<string>;
}

const importsOf = byObject((world: World): Imports => {
  const imports = world
    .ofKind(GROUPS.PROVISIONING, 'Cluster')
    .filter((object) => world.isJudged(object) && !rkeConfigOf(object.manifest));
  const withId = imports.map(({ target, manifest }) => ({
    rancher: target.name,
    id: managementClusterIdOf(manifest),
  }));
  return {
    ids: new Set(withId.map(({ rancher, id }) => `${rancher}/${id ?? ''}`)),
    late: new Set(withId.map(({ rancher }) => rancher)),
  };
});

/** Whether the program imports a Harvester into its Rancher, and so is the platform's. */
function isImported({ managedAs, managedBy }: JudgedTarget, world: World): boolean {
  const { ids, late } = importsOf(world);
  return managedAs === undefined ? late.has(managedBy ?? '') : ids.has(managedAs);
}

/** The namespaces that exist without any program. */
const BUILT_IN: readonly (string | undefined)[] = ['default', HARVESTER_PUBLIC];

/**
 * The namespaces of others in which a program lets the account of a credential create machines:
 * another program declares them, such as that of a platform.
 */
function namespacesOfOthers(account: string, harvester: JudgedTarget, world: World): string[] {
  return world
    .ofKind(GROUPS.RBAC, 'RoleBinding')
    .filter(
      (binding) =>
        binding.target.name === harvester.name &&
        binding.manifest.metadata.name === account &&
        world.isJudged(binding),
    )
    .flatMap((binding) => {
      const { namespace = '' } = binding.manifest.metadata;
      const declared = world.find(binding, '', 'Namespace', undefined, namespace);
      const isDeclared = declared !== undefined && world.isJudged(declared);
      return isDeclared || BUILT_IN.includes(namespace) ? [] : [namespace];
    });
}

/** Rules for the credential that programs with guest clusters on a Harvester write alike. */
export const DEFAULT_CREDENTIAL_RULES = rules({ kinds: [kindKey('', 'Secret')] }, [
  {
    id: 'credential/shared-name',
    level: 'warning',
    what: 'a program that refers to the import of a Harvester and to namespaces there, which another one declares, names the credential of its guest clusters: the default one is the same object in all programs',
    source: 'src/rancher/credential/default-credential.facts.ts',
    surelyOn: 'rancher',
    judge({ manifest, target }, world) {
      const { metadata } = manifest;
      const { namespace, name } = metadata;
      const harvester =
        namespace === GLOBAL_DATA &&
        world
          .allTargets()
          .find(
            (each) =>
              each.kind === 'harvester' &&
              rancherOf(each) === target.name &&
              defaultCredentialName(each.name) === name,
          );
      if (!harvester || isImported(harvester, world)) {
        return undefined;
      }
      const account = defaultAccountName(target.name);
      const namespaces = namespacesOfOthers(account, harvester, world);
      return (
        namespaces.length > 0 && {
          path: 'metadata.name',
          value: name,
          message: `is the name that every program gives to the credential of its guest clusters on ${harvester.name}, with ServiceAccount ${account} and its ClusterRoles there, and another program declares ${namespaces.join(', ')} there: the first program that removes its last guest cluster deletes them for all`,
          fix: 'set credential of the clusters to CloudCredential.fromName, with one that the other program declares for you, or to CloudCredential.serviceAccount with a name of your own; if no other program creates clusters there, suppress this',
        }
      );
    },
  },
]);
