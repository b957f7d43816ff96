import { IConstruct } from 'constructs';
import { attach, attached } from '../../core/construct/scope';
import { IHarvesterTarget } from '../../core/construct/target';
import { parseCidr } from '../../core/go/go-ip';
import { Problem } from '../../core/problem/problem';
import { IClusterNetwork } from '../../harvester/cluster-network/cluster-network-ref';

const TEAM_NETWORKS = Symbol.for('cdk8s-harvester.TeamNetworks');

/** A VLAN that a team has taken. */
interface TakenVlan {
  readonly clusterNetwork: string;
  readonly vlan: number;
  readonly team: IConstruct;
}

/** Checks the networks that may connect to an isolated team. */
export function checkTeamCidrs(cidrs: readonly string[], isIsolated: boolean): Problem[] {
  return [
    ...(cidrs.length > 0 && !isIsolated
      ? [
          {
            path: 'allowedCidrs',
            message: 'has no effect without networkIsolation',
            fix: 'remove one of the two',
          },
        ]
      : []),
    ...cidrs.flatMap((cidr, index) => {
      if (parseCidr(cidr)) {
        return [];
      }
      return [
        {
          path: `allowedCidrs[${index}]`,
          value: cidr,
          message: 'must be a network in CIDR notation',
          fix: 'write it like 10.20.0.0/16',
        },
      ];
    }),
  ];
}

/** Checks that no other team has taken a VLAN, and takes it. */
export function checkVlans(
  harvester: IHarvesterTarget,
  networks: readonly { readonly clusterNetwork: IClusterNetwork; readonly vlan: number }[],
  team: IConstruct,
): Problem[] {
  return networks.flatMap(({ clusterNetwork, vlan }, index) => {
    const taken = attached<TakenVlan>(harvester, TEAM_NETWORKS).find(
      (other) => other.clusterNetwork === clusterNetwork.name && other.vlan === vlan,
    );
    attach<TakenVlan>(harvester, TEAM_NETWORKS, {
      clusterNetwork: clusterNetwork.name,
      vlan,
      team,
    });
    if (!taken) {
      return [];
    }
    return [
      {
        path: `teamNetworks[${index}].vlan`,
        value: vlan,
        message: `must be a VLAN of this team alone: ${taken.team === team ? 'another of its networks' : taken.team.node.path} has it in cluster network ${clusterNetwork.name}`,
        fix: 'use another VLAN, or declare a VmNetwork in a namespace that both teams can read',
      },
    ];
  });
}
