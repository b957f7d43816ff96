import { isLate } from '../../core/late/late-token';
import { Manifest } from '../../core/manifest/manifest';
import { GROUP_LOAD_BALANCER } from '../../core/manifest/names';
import { JudgedObject, JudgedTarget, World } from '../../core/rule/rule';
import { secretEntry } from '../../core/secret/definition';
import { byObject } from '../../core/text/values';
import { KIND_IP_POOL } from '../../harvester/ip-pool/ip-pool.kind';
import { registeredAs } from '../../harvester/settings/catalogue/registrations.facts';
import {
  CREDENTIAL_KEY,
  cloudCredentialsOf,
  credentialKubeconfig,
} from '../../rancher/credential/cloud-credential.facts';
import { credentialSecret } from '../../rancher/credential/secret.kind';
import { usersOf } from '../cluster/cluster-reader.facts';

/** The path by which Rancher passes requests on to a cluster. @see rancher/rancher:pkg/k8sproxy */
const RANCHER_PROXY = /\/k8s\/clusters\/([a-z0-9][-a-z0-9]*)$/;

/**
 * The Harvester clusters of a world, and which of them a guest cluster runs on.
 *
 * It is found by reference: the program's guest chart, or provisioning Cluster, cloud credential,
 * management cluster ID, import, target. Namespaces are not used: two Harvester clusters may have
 * one of the same name.
 */
export class GuestHarvesters {
  /** The Harvester clusters of a world, computed once. */
  public static readonly in = byObject(
    (world: World): GuestHarvesters => new GuestHarvesters(world),
  );
  /** By the names of their targets. */
  public readonly targets: ReadonlyMap<string, JudgedTarget>;
  private readonly guests = new Map<string, JudgedTarget>();
  private readonly found = new Map<JudgedObject, JudgedTarget | undefined>();
  private readonly machines = new Map<JudgedObject, JudgedTarget | undefined>();
  private readonly logins = new Map<JudgedObject, JudgedTarget | 'elsewhere' | undefined>();

  private constructor(private readonly world: World) {
    const targets = new Map<string, JudgedTarget>();
    const add = ({ target }: JudgedObject): void => {
      if (target.kind === 'harvester') {
        targets.set(target.name, target);
      }
      if (target.provisioningCluster !== undefined) {
        this.guests.set(guestKey(target.rancher, target.provisioningCluster), target);
      }
    };
    world.judged.forEach(add);
    world.live.forEach(add);
    // a target with IP pools is a Harvester cluster
    for (const { target } of world.ofKind(GROUP_LOAD_BALANCER, KIND_IP_POOL)) {
      if (!targets.has(target.name)) {
        targets.set(target.name, target);
      }
    }
    this.targets = targets;
  }

  /**
   * The Harvester cluster of a guest cluster, by the provisioning Cluster or by the guest's target;
   * undefined if it is unknown.
   */
  public of(cluster: JudgedObject | undefined, guest?: JudgedTarget): JudgedTarget | undefined {
    if (guest?.harvester !== undefined) {
      return this.targets.get(guest.harvester);
    }
    if (!cluster) {
      return this.only();
    }
    if (!this.found.has(cluster)) {
      this.found.set(cluster, this.find(cluster));
    }
    return this.found.get(cluster);
  }

  /**
   * The target of the objects that a machine configuration refers to; undefined if it is unknown.
   */
  public ofMachines(config: JudgedObject): JudgedTarget | undefined {
    if (!this.machines.has(config)) {
      this.machines.set(config, this.findMachines(config));
    }
    return this.machines.get(config);
  }

  private findMachines(config: JudgedObject): JudgedTarget | undefined {
    // manifests in a folder for unknown clusters
    if (this.targets.size === 0) {
      return config.target;
    }
    const users = usersOf(config, this.world);
    if (users.length === 0) {
      return this.only();
    }
    const found = this.of(users[0].cluster);
    return users.every(({ cluster }) => this.of(cluster) === found) ? found : undefined;
  }

  private find(cluster: JudgedObject): JudgedTarget | undefined {
    const { namespace, name } = cluster.manifest.metadata;
    if (this.guests.size > 0) {
      const key = `${namespace ?? ''}/${name}`;
      const guest =
        this.guests.get(guestKey(cluster.target.name, key)) ??
        this.guests.get(guestKey(undefined, key));
      if (guest?.harvester !== undefined) {
        return this.targets.get(guest.harvester);
      }
    }
    let first: { readonly harvester: JudgedTarget | 'elsewhere' | undefined } | undefined;
    for (const { text } of cloudCredentialsOf(cluster.manifest)) {
      const secret = credentialSecret(cluster.manifest, text);
      const found = this.world.find(cluster, '', 'Secret', secret.namespace, secret.name);
      if (!found) {
        continue;
      }
      const harvester = this.byCredential(cluster.target, found);
      first ??= { harvester };
      if (harvester !== first.harvester) {
        return undefined;
      }
    }
    return first?.harvester === 'elsewhere' ? undefined : (first?.harvester ?? this.only());
  }

  // undefined if the credential does not identify it; clusters share credentials
  private byCredential(
    rancher: JudgedTarget,
    secret: JudgedObject,
  ): JudgedTarget | 'elsewhere' | undefined {
    if (!this.logins.has(secret)) {
      this.logins.set(secret, this.login(rancher, secret.manifest));
    }
    return this.logins.get(secret);
  }

  private login(rancher: JudgedTarget, secret: Manifest): JudgedTarget | 'elsewhere' | undefined {
    const server = credentialKubeconfig(secret)?.server ?? '';
    const id =
      secretEntry(secret, CREDENTIAL_KEY.CLUSTER_ID, isLate)?.text ||
      RANCHER_PROXY.exec(server)?.[1];
    const candidates = [...this.targets.values()];
    if (id !== undefined && !isLate(id)) {
      const managed =
        candidates.find(({ managedAs }) => managedAs === `${rancher.name}/${id}`) ??
        candidates.find(
          (target) =>
            target.managedAs === undefined && registeredAs(target, this.world)?.clusterId === id,
        );
      if (managed) {
        return managed;
      }
      // every known Harvester cluster has another ID
      if (candidates.every(({ managedAs }) => managedAs !== undefined)) {
        return 'elsewhere';
      }
    }
    const host = hostOf(server);
    return host === undefined ? undefined : candidates.find(({ vip }) => vip === host);
  }

  private only(): JudgedTarget | undefined {
    return this.targets.size === 1 ? [...this.targets.values()][0] : undefined;
  }
}

function guestKey(rancher: string | undefined, cluster: string): string {
  return `${rancher ?? ''} ${cluster}`;
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
