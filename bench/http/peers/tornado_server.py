# SPDX-License-Identifier: BSD-3-Clause
"""The example get_variable on Tornado: tornado_server.py PORT"""
import asyncio
import logging
import sys

import tornado.httpserver
import tornado.web


class ShowVariable(tornado.web.RequestHandler):
    def get(self):
        self.set_header("Content-Type", "text/xml")
        value = self.get_query_argument("value")
        self.write(f"<http_test><value>{value}</value></http_test>")

    def compute_etag(self):
        return None  # the other servers make none either


async def main():
    logging.getLogger("tornado.access").disabled = True
    application = tornado.web.Application([("/", ShowVariable)])
    application.listen(int(sys.argv[1]), "127.0.0.1", backlog=4096)
    await asyncio.Event().wait()


asyncio.run(main())
