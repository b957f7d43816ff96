import { Command, Option } from 'commander';
import { TARGET_KINDS } from '../../../core/output/assembly';
import { World } from '../../../core/rule/rule';
import { TargetOptions } from '../../../engine/read/read-input';
import { ADDRESS_FORMATS, AddressFormat, addressTable, printAddresses } from '../../../report/addresses/address-table';
import { emit, OutputFlags, readWith, repeatable, withManifests, withOutput } from '../../option/output-options';

/** The options of `addresses` as commander gives them. */
interface AddressOptions extends OutputFlags<AddressFormat> {
  readonly target?: TargetOptions['kind'];
  readonly harvesterVersion?: string;
  readonly world: readonly string[];
}

export function addressesCommand(): Command {
  const command = withManifests(new Command('addresses'))
    .description('report which IP pool each load balancer\'s address comes from, and how many addresses are free')
    .addOption(new Option('--target <kind>', 'treat manifests without an assembly as objects of this kind of cluster').choices(TARGET_KINDS))
    .option('--harvester-version <version>', 'judge by this version of Harvester, e.g. 1.7.2')
    .addOption(repeatable('--world <path>', 'read live objects from this path, e.g. pools with their status'));
  return withOutput(command, ADDRESS_FORMATS)
    .addHelpText('after', '\nlint reports what does not fit: overlapping pools, load balancers without a pool, pools without a free address.')
    .action((paths: string[], options: AddressOptions) => { emit(addresses(paths, options), options); });
}

function addresses(files: readonly string[], { target: kind, harvesterVersion, world, output }: AddressOptions): string {
  const target: TargetOptions = { ...(kind ? { kind } : {}), ...(harvesterVersion ? { harvesterVersion } : {}) };
  const [input, live] = readWith(files, world, target);
  return printAddresses(addressTable(new World(input.objects, live.objects)), output);
}
