import { GROUP_MIGRATION, KIND_MACHINE_IMPORT, SOURCE_KINDS } from './migration.kind';
import { isLate } from '../../core/late/late-token';
import { kindKey, records, valueAt } from '../../core/manifest/manifest';
import { DEFAULT_NAMESPACE } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { levelIfMissing } from '../../core/rule/kit/relations';
import { must, oneOf, text } from '../../core/rule/kit/values';
import { Rule } from '../../core/rule/rule';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../network/vm-network.kind';

const CONTROLLER =
  'harvester/vm-import-controller:pkg/controllers/migration/virtualmachine.go preFlightChecks';
const INVALID = 'virtualMachineImportInvalid';

/**
 * Rules on the import of virtual machines: the controller gives up an import that it finds invalid.
 */
export const MIGRATION_RULES: readonly Rule[] = rules(
  { kinds: [kindKey(GROUP_MIGRATION, KIND_MACHINE_IMPORT)], source: CONTROLLER },
  [
    {
      id: 'machine-import/api-version',
      what: 'the source of an import has the API version of sources',
      field: 'spec.sourceCluster.apiVersion',
      required: { fix: `set ${GROUP_MIGRATION}/v1beta1`, says: INVALID },
      check: oneOf([`${GROUP_MIGRATION}/v1beta1`], {
        says: 'expected migration cluster apiversion to be',
      }),
    },
    {
      id: 'machine-import/source',
      what: 'the source of an import is a VmwareSource, OpenstackSource or OvaSource that exists',
      field: 'spec.sourceCluster.kind',
      required: { fix: `set ${SOURCE_KINDS.join(', ')}`, says: 'unsupported source kind' },
      check: text((path, value, object, world) => {
        const kind = SOURCE_KINDS.find((each) => each.toLowerCase() === value.toLowerCase());
        if (!kind) {
          return {
            path,
            value,
            message: `must be one of ${SOURCE_KINDS.join(', ')}`,
            fix: 'use one of them',
            says: `unsupported source kind "${value}"`,
          };
        }
        const [name, namespace] = ['name', 'namespace'].map((field) =>
          valueAt(object.manifest, 'spec', 'sourceCluster', field),
        );
        if (typeof name !== 'string' || typeof namespace !== 'string') {
          return undefined;
        }
        const level = levelIfMissing(object, world, [GROUP_MIGRATION, kind], namespace, name);
        return (
          level && {
            path: 'spec.sourceCluster.name',
            value: name,
            level,
            message: `must be the name of a ${kind} in ${namespace}`,
            fix: 'declare the source',
            says: 'error generating migration in preflight checks',
          }
        );
      }),
    },
    {
      id: 'machine-import/network-mapping',
      what: 'each source network of an import has one destination, which exists',
      field: 'spec.networkMapping',
      check: (path, mappings, object, world) =>
        records(mappings).flatMap(([index, { sourceNetwork, destinationNetwork }], place, all) => {
          const twice =
            all.findIndex(([, other]) => other.sourceNetwork === sourceNetwork) < place
              ? [
                  {
                    path: `${path}[${index}].sourceNetwork`,
                    value: sourceNetwork,
                    message: 'must be unique: another mapping has this source network',
                    fix: 'map each source network once',
                    says: `source network ${String(sourceNetwork)} appears multiple times in VirtualMachineImport spec`,
                  },
                ]
              : [];
          if (typeof destinationNetwork !== 'string' || isLate(destinationNetwork)) {
            return twice;
          }
          const [namespace, name] = destinationNetwork.includes('/')
            ? destinationNetwork.split('/')
            : [object.manifest.metadata.namespace ?? DEFAULT_NAMESPACE, destinationNetwork];
          const level = levelIfMissing(
            object,
            world,
            [GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT],
            namespace,
            name!,
          );
          return level
            ? [
                ...twice,
                {
                  path: `${path}[${index}].destinationNetwork`,
                  value: destinationNetwork,
                  level,
                  message: 'must be <namespace>/<name> of a VM network',
                  fix: 'declare the network',
                  says: `network-attachment-definitions.k8s.cni.cncf.io "${name}" not found`,
                },
              ]
            : twice;
        }),
    },
    {
      id: 'machine-import/ova-url',
      kinds: [`${GROUP_MIGRATION}/OvaSource`],
      what: 'the URL of an OvaSource is one of http or https',
      source: 'harvester/vm-import-controller:pkg/source/ova/client.go',
      field: 'spec.url',
      check: must((value) => typeof value !== 'string' || /^https?:\/\/[^/]+/.test(value), {
        message: 'must be a URL of http or https',
        fix: 'use the URL of the OVA file',
      }),
    },
  ],
);
