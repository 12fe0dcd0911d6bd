@_exported import Pinview
