import { IHarvesterTarget } from '../../../core/construct/target';
import { NO_PROBLEMS, Problem } from '../../../core/problem/problem';
import { givenNics } from '../../../harvester/machine/machine-props';
import { ClusterContext } from '../../parts/cluster-parts';
import { MachinePool } from '../machine-pool';

export function checkOwners({ harvester, rancher }: ClusterContext, pool: MachinePool): Problem[] {
  const { credential, disks, nics } = pool;
  return [
    ...(!credential || credential.rancher === rancher
      ? []
      : [
          {
            path: 'credential',
            value: credential.credentialId,
            message: `must be a credential of the Rancher of the cluster, ${rancher.targetName}: it is one of ${credential.rancher.targetName}`,
            fix: 'use a credential of the same Rancher',
          },
        ]),
    ...disks.flatMap(({ _claim }, index) => {
      const { image, storageClass } = _claim ?? {};
      return [
        ...elsewhere('disks', index, image?.imageId, 'an image', image?.harvester, harvester),
        ...elsewhere(
          'disks',
          index,
          storageClass?.name,
          'a storage class',
          storageClass?.harvester,
          harvester,
        ),
      ];
    }),
    ...(givenNics(pool) ?? []).flatMap(({ _network: network }, index) =>
      elsewhere(
        nics ? 'nics' : 'networks',
        index,
        network?.networkId,
        'a network',
        network?.harvester,
        harvester,
      ),
    ),
  ];
}

function elsewhere(
  prop: string,
  index: number,
  value: string | undefined,
  what: string,
  on?: IHarvesterTarget,
  harvester?: IHarvesterTarget,
): readonly Problem[] {
  return !on || !harvester || on === harvester
    ? NO_PROBLEMS
    : [
        {
          path: `${prop}[${index}]`,
          value,
          message: `must be ${what} of ${harvester.targetName}, where the machines run: it is one of ${on.targetName}`,
          fix: `use ${what} of ${harvester.targetName}`,
        },
      ];
}
