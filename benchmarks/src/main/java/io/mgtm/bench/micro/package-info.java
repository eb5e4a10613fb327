/** JMH benchmarks of the parts that a request goes through. */
package io.mgtm.bench.micro;
