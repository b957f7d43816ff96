import { AssemblyTarget } from '../../core/output/assembly';
import { Product, VERSION_RULES } from '../../core/version/product-version';
import { Semver, parseSemver } from '../../core/version/semver';

type Kind = AssemblyTarget['kind'];

/** The product whose version a target declares, by the kind of the target. */
export const PRODUCT_OF: { readonly [kind in Kind]: Product } = { rancher: Product.RANCHER, harvester: Product.HARVESTER, guest: Product.KUBERNETES };

/** Reads the version of a target's product. Throws if it is not valid. */
export function parseVersion(kind: Kind, text: string): Semver {
  return parseSemver(text, VERSION_RULES[PRODUCT_OF[kind]]);
}
