import { TENANCY } from '../families/tenancy';
import { describeFamily } from '../families/family';

describeFamily(TENANCY);
